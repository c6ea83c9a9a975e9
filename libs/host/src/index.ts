export { createLogger } from './logger.ts';
export { VERSION } from '@palimpsest/runtime';
export { runMain, type MainProgram, type Running } from './run-main.ts';
export { singleNodeLeases } from './single-node-leases.ts';
export { createQuotaPolicy } from './quota-policy.ts';
export { readTiers } from './tiers.ts';
export { openEmbeddingModels, withoutMemory, type OpenModels } from './embedding-models.ts';
export {
  embeddingOf, embeddingSettings, httpOf, httpSettings, ingestionOf, ingestionSettings, queryOf, querySettings, readSettings, whole, type EmbeddingSettings,
} from './settings.ts';
export { listen, type AppSettings, type ListeningApp } from './http/create-app.ts';
export { CONSOLE_ASSETS, CONSOLE_PAGES } from './http/serve-console.ts';
export { DOCS } from './http/serve-docs.ts';
export { openApiDocument } from './http/openapi/openapi-document.ts';
export { servedRoutes, unusable } from './http/routes/served-routes.ts';
export { HealthController, StatusController } from './http/operations-controller.ts';
export { OverviewController } from './http/overview-controller.ts';
export { httpEdge } from './http-edge.ts';
export { NO_TELEMETRY, openTelemetry, type MetricSources, type Telemetry, type TelemetryOptions } from './telemetry/index.ts';
export { createFigures, type Figures } from './telemetry/index.ts';
export { createMetrics, type Metrics, type MetricsOptions } from './telemetry/index.ts';
export { projectionSpans, requestSpans, startTracing, tracedEmbedding, tracedEventLog, tracedMessageBus, type Tracing, type TracingOptions } from './telemetry/index.ts';
