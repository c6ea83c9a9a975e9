export { platformConfig, settingsSchema, type PlatformConfig } from './embedded/settings.ts';
export {
  ingestionServiceConfig,
  ingestionServiceSettings,
  queryServiceConfig,
  queryServiceSettings,
  reembeddingServiceConfig,
  reembeddingServiceSettings,
  type IngestionServiceConfig,
  type QueryServiceConfig,
  type ReembeddingServiceConfig,
  type ServiceConfig,
} from './distributed/settings.ts';
