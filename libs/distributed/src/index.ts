export {
  ingestionServiceConfig, ingestionServiceSettings, queryServiceConfig, queryServiceSettings, reembeddingServiceConfig, reembeddingServiceSettings,
  type ServiceConfig,
} from './settings.ts';
export { startService, type ServiceModule } from './start-service.ts';
export type { OpenAdapters } from './open-adapters.ts';
