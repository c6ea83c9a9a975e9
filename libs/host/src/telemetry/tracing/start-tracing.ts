import { hostname } from 'node:os';
import type { NodeTracerConfig } from '@opentelemetry/sdk-trace-node';
import { VERSION } from '../../version.ts';
import type { Observer } from '../observer.ts';
import { projectionSpans } from './projection-spans.ts';
import { requestSpans } from './request-spans.ts';
import { tracedEmbedding } from './traced-embedding.ts';
import { tracedEventLog } from './traced-event-log.ts';
import { tracedMessageBus } from './traced-message-bus.ts';

export type TracingOptions = Readonly<{
  /** Address of a collector that takes OTLP over HTTP: its base, or the whole of it, ending in `/v1/traces`. */
  endpoint: string;
  /** By what name the collector knows this process. */
  service: string;
}>;

export type Tracing = Readonly<{
  /** Sends what is left, for 5 s at most. */
  stop: () => Promise<void>;
}>;

/** Spans are behind the work: a collector that is away costs them, after this time, and nothing else. In milliseconds. */
const SEND_MS = 3_000;
const STOP_MS = 5_000;

/** Traces this process from now on; called once, before anything that is to be traced. Without it no span is ever made. */
export const startTracing = async ({ endpoint, service }: TracingOptions): Promise<Tracing> => {
  // Only who wants traces pays for loading this.
  const [{ NodeTracerProvider, BatchSpanProcessor }, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/sdk-trace-node'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ]);
  const exporter = new OTLPTraceExporter({ url: tracesAt(endpoint), timeoutMillis: SEND_MS });
  const provider = new NodeTracerProvider({
    resource: resourceOf({ 'service.name': service, 'service.version': VERSION, 'service.instance.id': `${hostname()}:${process.pid}`, 'telemetry.sdk.language': 'nodejs', 'telemetry.sdk.name': 'opentelemetry' }),
    spanProcessors: [new BatchSpanProcessor(exporter, { exportTimeoutMillis: SEND_MS })],
  });
  // With it come contexts that follow asynchronous work, and the W3C headers.
  provider.register();
  return { stop: () => atMost(STOP_MS, provider.shutdown()) };
};

/** What tracing does to each port. */
export const tracingObserver: Observer = {
  eventLog: tracedEventLog,
  messageBus: tracedMessageBus,
  embedding: tracedEmbedding,
  projected: projectionSpans,
  requests: requestSpans,
};

const tracesAt = (endpoint: string): string => (/\/v1\/traces\/?$/.test(endpoint) ? endpoint : `${endpoint.replace(/\/+$/, '')}/v1/traces`);

type Resource = NonNullable<NodeTracerConfig['resource']>;

/** Who this is. The SDK's own maker of resources is in a package that comes along with it, and is none of ours to import. */
const resourceOf = (attributes: Readonly<Record<string, string>>): Resource => ({
  attributes,
  merge: (other) => resourceOf({ ...attributes, ...(other?.attributes as Record<string, string> | undefined) }),
  getRawAttributes: () => Object.entries(attributes),
});

/** Whether the collector took the last spans or not, the process ends. */
const atMost = async (ms: number, work: Promise<void>): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  await Promise.race([work.catch(() => undefined), timeout]);
  clearTimeout(timer);
};
