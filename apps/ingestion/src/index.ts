export { IngestionServiceModule } from './app.module.ts';
