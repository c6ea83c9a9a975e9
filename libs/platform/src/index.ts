export { createPlatform, type OffersOf, type PortsOf } from './create-platform.ts';
export { INGESTION_SERVICE, QUERY_SERVICE, REEMBEDDING_SERVICE, WHOLE_PLATFORM } from './features.ts';
export type { Platform } from './platform.ts';
export { listen, type AppSettings, type ListeningApp } from './serve/create-app.ts';
export type { PlatformConfig } from './embedded/settings.ts';
