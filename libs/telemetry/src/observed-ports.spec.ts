import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import type { EventLog, FollowBatch, RecordedEvent } from '@palimpsest/knowledge/ports';
import { aFakeEmbeddingProvider, describeEmbeddingProvider, describeEventLog, InMemoryEventLog } from '@palimpsest/test-kit';
import { delegating } from './delegating.ts';
import { createMetrics } from './metrics/create-metrics.ts';
import { tracingObserver } from './tracing/start-tracing.ts';

// An observed port still fulfils its whole contract.

const metrics = createMetrics({ service: 'test' });
beforeAll(() => new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(new InMemorySpanExporter())] }).register());

const bare = (event: RecordedEvent): RecordedEvent => {
  const { traceparent, ...metadata } = event.metadata;
  // The large appends of the kit leave no room for a traceparent.
  if (traceparent !== undefined) expect(traceparent).toMatch(/^00-\w{32}-\w{16}-01$/);
  return { ...event, metadata };
};

async function* bareEvents(events: AsyncIterable<RecordedEvent>): AsyncGenerator<RecordedEvent> {
  for await (const event of events) yield bare(event);
}

async function* bareBatches(batches: AsyncIterable<FollowBatch>): AsyncGenerator<FollowBatch> {
  for await (const batch of batches) yield { ...batch, events: batch.events.map(bare) };
}

/** Removes the traceparent, because the kit compares the events that it reads with those that it wrote. */
const withoutTraces = (log: EventLog): EventLog =>
  delegating(log, {
    readStream: (...args) => bareEvents(log.readStream(...args)),
    readAll: (...args) => bareEvents(log.readAll(...args)),
    follow: (...args) => bareBatches(log.follow(...args)),
  });

describeEventLog('an observed log', async () => {
  let now = Date.parse('2026-01-01T00:00:00Z');
  let log = new InMemoryEventLog({ now: () => now });
  const observed = () => withoutTraces(metrics.eventLog(tracingObserver.eventLog(log)));
  const reopen = async () => {
    await log.close();
    log = log.reopened();
    return observed();
  };
  return { log: observed(), reopen, dispose: async () => log.close(), letTimePass: async (seconds) => void (now += seconds * 1000) };
});

const observedProvider = (options = {}) => metrics.embedding(tracingObserver.embedding(aFakeEmbeddingProvider(options)));

describeEmbeddingProvider('an observed provider', {
  open: () => observedProvider(),
  openWithWrongWidth: () => observedProvider({ answeredWidth: 7 }),
  longText: 'word '.repeat(600),
});
