import { GROUPS, TOPICS, type Journal } from '@palimpsest/contracts';
import { retrievalStream, tenantId } from '@palimpsest/knowledge';
import type { Consumer, MessageBus, StreamName, TenantId } from '@palimpsest/knowledge';
import type { TraceEvent } from './trace-queue.ts';

/** Takes traces from the bus onto the tenant's retrieval stream, whose events disappear after `retentionSeconds`. */
export const startTraceRecorder = (bus: MessageBus, journal: Journal, { retentionSeconds }: Readonly<{ retentionSeconds: number }>): Promise<Consumer> => {
  const prepared = new Set<TenantId>();
  return bus.consume({ topic: TOPICS.retrieval, group: GROUPS.retrieval }, async (deliveries) => {
    for (const { body, headers } of deliveries) {
      const tenant = tenantId(headers['tenant']);
      const stream = retrievalStream(tenant);
      if (!prepared.has(tenant)) {
        await journal.log.setRetention(stream, retentionSeconds);
        prepared.add(tenant);
      }
      const event = JSON.parse(body) as TraceEvent;
      // A tenant's traces come in order, one at a time: only the last one can have been recorded without being settled.
      if ((await lastTrace(journal, stream)) === event.data.traceId) continue;
      await journal.appendToEnd(stream, [event], { tenant, actor: headers['actor'] ?? 'query', correlationId: event.data.traceId });
    }
  });
};

const lastTrace = async (journal: Journal, stream: StreamName): Promise<string | undefined> => {
  for await (const { event } of journal.readStream(stream, { direction: 'backwards', limit: 1 })) return (event as TraceEvent).data.traceId;
  return undefined;
};
