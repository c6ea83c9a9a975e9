import type { FastifyInstance } from 'fastify';
import type { EmbeddingProvider, EventLog, MessageBus } from '@palimpsest/knowledge';
import type { Projected } from '@palimpsest/projections';
import { createMetrics } from './metrics/create-metrics.ts';
import { createFigures, type Figures } from './figures/figures.ts';
import type { MetricSources } from './metrics/scrape.ts';
import type { DoorFigures } from '../http/overload/doors.ts';
import type { Observer } from './observer.ts';
import { startTracing, tracingObserver } from './tracing/start-tracing.ts';

export type TelemetryOptions = Readonly<{
  /** By what name collectors know this process: `platform`, `ingestion`, … */
  service: string;
  /** Where traces go (OTLP over HTTP); none are made without it. */
  otlpEndpoint: string | undefined;
  /** Whether there is a `GET /metrics`, and something to tell there. */
  metrics: boolean;
}>;

/**
 * What an app puts around its adapters as it opens them, and around its server.
 */
export type Telemetry = Readonly<{
  eventLog: (log: EventLog) => EventLog;
  messageBus: (bus: MessageBus) => MessageBus;
  /** For what stands between a cache and a model, so that only what is computed is seen: `openEmbeddingModels(…, telemetry.embedding)`. */
  embedding: (provider: EmbeddingProvider) => EmbeddingProvider;
  /** For `RunnerOptions.onProjected`. */
  projected: (projected: Projected) => void;
  /** Adds hooks and `GET /metrics`; before any other hook. */
  requests: (server: FastifyInstance) => void;
  /** Where the figures of the door come from; the last one counts. */
  doors: (figures: () => DoorFigures) => void;
  /** Names what metrics are read from; once everything is open. */
  watch: (sources: MetricSources) => void;
  /** What this process has been doing lately; bound to PORT.Figures. There also without metrics. */
  figures: Figures;
  /** After everything else was closed: sends the last spans, for 5 s at most. */
  stop: () => Promise<void>;
}>;

/** Once per process, before the adapters are opened. */
export const openTelemetry = async ({ service, otlpEndpoint, metrics: wanted }: TelemetryOptions): Promise<Telemetry> => {
  const metrics = wanted ? createMetrics({ service }) : undefined;
  const tracing = otlpEndpoint === undefined ? undefined : await startTracing({ endpoint: otlpEndpoint, service });
  const figures = createFigures();
  const observers: readonly Observer[] = [...(tracing ? [tracingObserver] : []), ...(metrics ? [metrics] : []), figures];
  return {
    eventLog: (log) => observers.reduce((inner, observer) => observer.eventLog(inner), log),
    messageBus: (bus) => observers.reduce((inner, observer) => observer.messageBus(inner), bus),
    embedding: (provider) => observers.reduce((inner, observer) => observer.embedding(inner), provider),
    projected: (projected) => observers.forEach((observer) => observer.projected(projected)),
    requests: (server) => {
      for (const observer of observers) observer.requests(server);
      if (metrics) server.get('/metrics', { config: { policy: { public: true, work: 'none' } } }, async (_request, reply) => reply.header('content-type', metrics.contentType).send(await metrics.text()));
    },
    doors: (of) => metrics?.doors(of),
    watch: (sources) => {
      metrics?.watch(sources);
      figures.watch(sources);
    },
    figures,
    stop: async () => {
      figures.stop();
      await tracing?.stop();
    },
  };
};

/** Looks at nothing. */
export const NO_TELEMETRY: Telemetry = {
  eventLog: (log) => log,
  messageBus: (bus) => bus,
  embedding: (provider) => provider,
  projected: () => undefined,
  requests: () => undefined,
  doors: () => undefined,
  watch: () => undefined,
  figures: createFigures(),
  stop: async () => undefined,
};
