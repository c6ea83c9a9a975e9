import { appendable, GROUPS, TOPICS, whileServersAreAway, type Journal } from '@palimpsest/contracts';
import type { System } from '@palimpsest/foundation';
import { retrievalStream } from '@palimpsest/knowledge/deciders';
import { tenantId } from '@palimpsest/knowledge/values';
import type { RetrievalEvent } from '@palimpsest/knowledge/events';
import type { Consumer, Delivery, MessageBus, StreamName } from '@palimpsest/knowledge/ports';
import type { TenantId } from '@palimpsest/knowledge/values';
import { eventsOf } from './retrieval-record.ts';

/** Records consumed together. Those of a caller are written in one append, unless their sealed requests are large. */
const BATCH = 32;

/** Writes retrieval records from the bus to the tenant's retrieval stream, whose events expire after `retentionSeconds`. */
export const startRetrievalRecorder = (
  bus: Pick<MessageBus, 'consume'>,
  journal: Journal,
  { retentionSeconds, system }: Readonly<{ retentionSeconds: number; system?: System }>,
): Promise<Consumer> => {
  const prepared = new Set<TenantId>();
  const recordFor = async ({ tenant, actor, records }: CallerRecords, again: boolean): Promise<void> => {
    const stream = retrievalStream(tenant);
    if (!prepared.has(tenant)) {
      await journal.log.setRetention(stream, retentionSeconds);
      prepared.add(tenant);
    }
    await record(journal, stream, { tenant, actor }, records, again);
  };
  return bus.consume({ topic: TOPICS.retrieval, group: GROUPS.retrieval, batchSize: BATCH }, async (deliveries) => {
    for (const caller of byCaller(deliveries)) {
      const [first] = caller.records;
      if (first === undefined) continue;
      let again = caller.records.some(({ attempt }) => attempt > 1);
      await whileServersAreAway(
        first.signal,
        () => recordFor(caller, again),
        () => (again = true),
        system,
      );
    }
  });
};

type CallerRecords = Readonly<{ tenant: TenantId; actor: string; records: Delivery[] }>;

/** Groups by caller, because all events of one append have the same actor. */
const byCaller = (deliveries: readonly Delivery[]): readonly CallerRecords[] =>
  [...Map.groupBy(deliveries, ({ headers }) => JSON.stringify([headers['tenant'], headers['actor']])).values()].map((records) => ({
    tenant: tenantId(records[0]?.headers['tenant']),
    actor: records[0]?.headers['actor'] ?? 'query',
    records,
  }));

const record = async (
  journal: Journal,
  stream: StreamName,
  by: Readonly<{ tenant: TenantId; actor: string }>,
  deliveries: readonly Delivery[],
  again: boolean,
): Promise<void> => {
  // On a retry the events may already be on the log, among the latest ones, because nothing was recorded after them.
  const known = again ? await latestTraceIds(journal, stream) : new Set<string>();
  const events = deliveries
    .flatMap(({ body }) => eventsOf(JSON.parse(body) as Parameters<typeof eventsOf>[0]))
    .filter(({ data }) => !known.has(data.traceId));
  const [first] = events;
  if (!first) return;
  for (const group of appendable(events)) await journal.appendToEnd(stream, group, { ...by, correlationId: first.data.traceId });
};

const latestTraceIds = async (journal: Journal, stream: StreamName): Promise<ReadonlySet<string>> => {
  const known = new Set<string>();
  for await (const { event } of journal.readStream(stream, { direction: 'backwards', limit: 4 * BATCH }))
    known.add((event as RetrievalEvent).data.traceId);
  return known;
};
