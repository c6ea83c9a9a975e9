export { QueryServiceModule } from './app.module.ts';
