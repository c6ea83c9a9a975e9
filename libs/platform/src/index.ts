export { createPlatform, type OffersOf, type PortsOf } from './create-platform.ts';
export { INGESTION_SERVICE, QUERY_SERVICE, REEMBEDDING_SERVICE, WHOLE_PLATFORM } from './features.ts';
export type { PlatformConfig } from './embedded/settings.ts';
