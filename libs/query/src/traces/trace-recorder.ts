import { GROUPS, TOPICS, whileServersAreAway, type Journal } from '@palimpsest/contracts';
import { retrievalStream, tenantId } from '@palimpsest/knowledge';
import type { Consumer, Delivery, MessageBus, RetrievalEvent, StreamName, TenantId } from '@palimpsest/knowledge';
import { eventsOf } from './retrieval-record.ts';

/** Traces taken at once, and so recorded in one append per caller. Two events of at most 15 kB each: below the log's limit. */
const BATCH = 32;

/** Takes traces from the bus onto the tenant's retrieval stream, whose events disappear after `retentionSeconds`. */
export const startTraceRecorder = (bus: MessageBus, journal: Journal, { retentionSeconds }: Readonly<{ retentionSeconds: number }>): Promise<Consumer> => {
  const prepared = new Set<TenantId>();
  const recordFor = async ({ tenant, actor, traces }: CallersTraces, again: boolean): Promise<void> => {
    const stream = retrievalStream(tenant);
    if (!prepared.has(tenant)) {
      await journal.log.setRetention(stream, retentionSeconds);
      prepared.add(tenant);
    }
    await record(journal, stream, { tenant, actor }, traces, again);
  };
  return bus.consume({ topic: TOPICS.retrieval, group: GROUPS.retrieval, batchSize: BATCH }, async (deliveries) => {
    for (const caller of byCaller(deliveries)) {
      const [first] = caller.traces;
      if (first === undefined) continue;
      let again = caller.traces.some(({ attempt }) => attempt > 1);
      await whileServersAreAway(first.signal, () => recordFor(caller, again), () => (again = true));
    }
  });
};

type CallersTraces = Readonly<{ tenant: TenantId; actor: string; traces: Delivery[] }>;

/** One append says of all its events who caused them. */
const byCaller = (deliveries: readonly Delivery[]): readonly CallersTraces[] =>
  [...Map.groupBy(deliveries, ({ headers }) => JSON.stringify([headers['tenant'], headers['actor']])).values()].map((traces) => ({
    tenant: tenantId(traces[0]?.headers['tenant']),
    actor: traces[0]?.headers['actor'] ?? 'query',
    traces,
  }));

const record = async (journal: Journal, stream: StreamName, by: Readonly<{ tenant: TenantId; actor: string }>, deliveries: readonly Delivery[], again: boolean): Promise<void> => {
  // Tried again, they may be on the log already: then among the last ones, since nothing was recorded after them.
  const known = again ? await lastTraces(journal, stream) : new Set<string>();
  const events = deliveries.flatMap(({ body }) => eventsOf(JSON.parse(body) as Parameters<typeof eventsOf>[0])).filter(({ data }) => !known.has(data.traceId));
  const [first] = events;
  if (!first) return;
  await journal.appendToEnd(stream, events, { ...by, correlationId: first.data.traceId });
};

const lastTraces = async (journal: Journal, stream: StreamName): Promise<ReadonlySet<string>> => {
  const known = new Set<string>();
  for await (const { event } of journal.readStream(stream, { direction: 'backwards', limit: 4 * BATCH })) known.add((event as RetrievalEvent).data.traceId);
  return known;
};
