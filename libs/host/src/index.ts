export { createLogger } from './logger.ts';
export { VERSION } from '@palimpsest/runtime';
export { runMain, type MainProgram, type Running } from './run-main.ts';
export { readTiers } from './tiers.ts';
export { openEmbeddingModels, withoutMemory, type OpenModels } from './embedding-models.ts';
export {
  embeddingOf,
  embeddingSettings,
  httpOf,
  httpSettings,
  ingestionOf,
  ingestionSettings,
  queryOf,
  querySettings,
  readSettings,
  whole,
  type EmbeddingSettings,
} from './settings.ts';
export { listen, type AppSettings, type ListeningApp } from './http/create-app.ts';
export { CONSOLE_ASSETS, CONSOLE_PAGES } from './http/serve-console.ts';
export { DOCS } from './http/serve-docs.ts';
export { openApiDocument } from './http/openapi/openapi-document.ts';
export { unusable } from './unusable.ts';
export { health, status } from './operations/operation-features.ts';
export { NO_TELEMETRY, openTelemetry, type MetricSources, type Telemetry, type TelemetryOptions } from './telemetry/index.ts';
export { createFigures, type Figures } from './telemetry/index.ts';
export { createMetrics, type Metrics, type MetricsOptions } from './telemetry/index.ts';
export {
  projectionSpans,
  requestSpans,
  startTracing,
  tracedEmbedding,
  tracedEventLog,
  tracedMessageBus,
  type Tracing,
  type TracingOptions,
} from './telemetry/index.ts';
export type { ReadHealth } from './operations/read-health.ts';
export type { ReadOverview } from './operations/read-overview.ts';
export type { ReadStatus } from './operations/read-status.ts';
