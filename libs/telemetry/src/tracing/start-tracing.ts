import { hostname } from 'node:os';
import type { NodeTracerConfig } from '@opentelemetry/sdk-trace-node';
import { SYSTEM, type Cancel } from '@palimpsest/foundation';
import { VERSION } from '@palimpsest/foundation/version';
import type { Observer } from '../observer.ts';
import { projectionSpans } from './projection-spans.ts';
import { requestSpans } from './request-spans.ts';
import { tracedEmbedding } from './traced-embedding.ts';
import { tracedEventLog } from './traced-event-log.ts';
import { tracedMessageBus } from './traced-message-bus.ts';

export type TracingOptions = Readonly<{
  /** Address of a collector for OTLP over HTTP: its base URL, or the complete URL that ends in `/v1/traces`. */
  endpoint: string;
  /** Service name of this process. */
  service: string;
}>;

export type Tracing = Readonly<{
  /** Sends the remaining spans, for at most 5 s. */
  stop: () => Promise<void>;
}>;

/**
 * Timeouts in milliseconds. Spans are sent in the background: if the collector is unavailable, they are lost after this time, with no other
 * effect.
 */
const SEND_MS = 3_000;
const STOP_MS = 5_000;

/** Starts tracing this process. Call it once, before any traced work. Without it, no spans are recorded. */
export const startTracing = async ({ endpoint, service }: TracingOptions): Promise<Tracing> => {
  // Loaded only if tracing is on.
  const [{ NodeTracerProvider, BatchSpanProcessor }, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/sdk-trace-node'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ]);
  const exporter = new OTLPTraceExporter({ url: tracesAt(endpoint), timeoutMillis: SEND_MS });
  const provider = new NodeTracerProvider({
    resource: resourceOf({
      'service.name': service,
      'service.version': VERSION,
      'service.instance.id': `${hostname()}:${process.pid}`,
      'telemetry.sdk.language': 'nodejs',
      'telemetry.sdk.name': 'opentelemetry',
    }),
    spanProcessors: [new BatchSpanProcessor(exporter, { exportTimeoutMillis: SEND_MS })],
  });
  // Also registers context propagation across asynchronous work and the W3C headers.
  provider.register();
  return { stop: () => atMost(STOP_MS, provider.shutdown()) };
};

/** Traces each port. */
export const tracingObserver: Observer = {
  eventLog: tracedEventLog,
  messageBus: tracedMessageBus,
  embedding: tracedEmbedding,
  projected: projectionSpans,
  requests: requestSpans,
};

const tracesAt = (endpoint: string): string => (/\/v1\/traces\/?$/.test(endpoint) ? endpoint : `${endpoint.replace(/\/+$/, '')}/v1/traces`);

type Resource = NonNullable<NodeTracerConfig['resource']>;

/** The resource of this process. The SDK's own factory is in a transitive dependency, which must not be imported. */
const resourceOf = (attributes: Readonly<Record<string, string>>): Resource => ({
  attributes,
  merge: (other) => resourceOf({ ...attributes, ...(other?.attributes as Record<string, string> | undefined) }),
  getRawAttributes: () => Object.entries(attributes),
});

/** Waits for at most `ms`, so that the process stops even if the collector did not receive the last spans. */
const atMost = async (ms: number, work: Promise<void>): Promise<void> => {
  let cancel: Cancel | undefined;
  const timeout = new Promise<void>((resolve) => (cancel = SYSTEM.scheduler.after(ms, resolve)));
  await Promise.race([work.catch(() => undefined), timeout]);
  cancel?.();
};
