export { ReembeddingServiceModule } from './app.module.ts';
