export { createPlatform, type CommandsOf, type PortsOf, type QueriesOf } from './create-platform.ts';
export { INGESTION_SERVICE, QUERY_SERVICE, REEMBEDDING_SERVICE, WHOLE_PLATFORM } from './features.ts';
export type { PlatformConfig } from './embedded/settings.ts';
