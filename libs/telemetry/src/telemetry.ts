import type { FastifyInstance } from 'fastify';
import type { EmbeddingProvider, EventLog, MessageBus } from '@palimpsest/knowledge/ports';
import type { Projected } from '@palimpsest/projections';
import type { ObserveRetrieval } from '@palimpsest/query';
import { createMetrics } from './metrics/create-metrics.ts';
import { createFigures, type Figures } from './figures/figures.ts';
import type { MetricSources } from './metrics/scrape.ts';
import type { LoadShedderFigures } from '@palimpsest/http/server';
import type { Observer } from './observer.ts';
import { startTracing, tracingObserver } from './tracing/start-tracing.ts';
import { tracedRetrieval } from './tracing/traced-retrieval.ts';

export type TelemetryOptions = Readonly<{
  /** Service name of this process in traces and metrics: `platform`, `ingestion`, … */
  service: string;
  /** Address of the collector (OTLP over HTTP). Without it, no traces are recorded. */
  otlpEndpoint: string | undefined;
  /** Whether traces contain the queries and passages of tenants that record their queries. */
  traceTexts?: boolean;
  /** Whether to collect metrics and serve `GET /metrics`. */
  metrics: boolean;
}>;

/**
 * Wraps the adapters of an app as it opens them, and its server.
 */
export type Telemetry = Readonly<{
  eventLog: (log: EventLog) => EventLog;
  messageBus: (bus: MessageBus) => MessageBus;
  /** Wraps a model behind its cache, so that only computed embeddings are observed: `openEmbeddingModels(…, telemetry.embedding)`. */
  embedding: (provider: EmbeddingProvider) => EmbeddingProvider;
  /** For `RunnerOptions.onProjected`. */
  projected: (projected: Projected) => void;
  /** For `QueryPorts.observeRetrieval`. */
  retrieval: ObserveRetrieval;
  /** Adds hooks and `GET /metrics`. Must be called before any other hook is added. */
  requests: (server: FastifyInstance) => void;
  /** Sets the source of the figures of the load shedder; the last call wins. */
  httpQueue: (figures: () => LoadShedderFigures) => void;
  /** Sets the sources of metrics, once all adapters are open. */
  watch: (sources: MetricSources) => void;
  /** Recent figures of this process. Available without metrics, too. */
  figures: Figures;
  /** Sends the last spans, for at most 5 s. Must be called after everything else was closed. */
  stop: () => Promise<void>;
}>;

const unobserved: ObserveRetrieval = (search) => search();

const bothOf =
  (one: ObserveRetrieval, other: ObserveRetrieval): ObserveRetrieval =>
  (search, seen) =>
    one(() => other(search, seen), seen);

/** Call it once per process, before the adapters are opened. */
export const openTelemetry = async ({
  service,
  otlpEndpoint,
  traceTexts = false,
  metrics: wanted,
}: TelemetryOptions): Promise<Telemetry> => {
  const metrics = wanted ? createMetrics({ service }) : undefined;
  const tracing = otlpEndpoint === undefined ? undefined : await startTracing({ endpoint: otlpEndpoint, service });
  const figures = createFigures();
  const observers: readonly Observer[] = [...(tracing ? [tracingObserver] : []), ...(metrics ? [metrics] : []), figures];
  return {
    eventLog: (log) => observers.reduce((inner, observer) => observer.eventLog(inner), log),
    messageBus: (bus) => observers.reduce((inner, observer) => observer.messageBus(inner), bus),
    embedding: (provider) => observers.reduce((inner, observer) => observer.embedding(inner), provider),
    projected: (projected) => observers.forEach((observer) => observer.projected(projected)),
    retrieval: bothOf(metrics?.retrieval ?? unobserved, tracing ? tracedRetrieval({ texts: traceTexts }) : unobserved),
    requests: (server) => {
      for (const observer of observers) observer.requests(server);
      if (metrics)
        server.get('/metrics', { config: { policy: { public: true, work: 'none' } } }, async (_request, reply) =>
          reply.header('content-type', metrics.contentType).send(await metrics.text()),
        );
    },
    httpQueue: (of) => metrics?.httpQueue(of),
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

/** Observes nothing. */
export const NO_TELEMETRY: Telemetry = {
  eventLog: (log) => log,
  messageBus: (bus) => bus,
  embedding: (provider) => provider,
  projected: () => undefined,
  retrieval: unobserved,
  requests: () => undefined,
  httpQueue: () => undefined,
  watch: () => undefined,
  figures: createFigures(),
  stop: async () => undefined,
};
