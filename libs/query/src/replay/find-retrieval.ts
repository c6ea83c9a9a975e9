import { firstRevision, type Journal } from '@palimpsest/contracts';
import { retrievalStream } from '@palimpsest/knowledge/deciders';
import { NotFound } from '@palimpsest/knowledge/errors';
import type { Access } from '@palimpsest/knowledge/access';
import type { RetrievalRecordData } from '@palimpsest/knowledge/events';
import type { EventLog, RecordedEvent, StreamName } from '@palimpsest/knowledge/ports';
import { visibilityOf } from '../events/event-visibility.ts';
import { timeOfTrace } from './trace-id.ts';

/** Records that are read at most, from the time of the trace id. Records of earlier versions are looked for among the newest ones. */
const MAX_READ = 10_000;
/** How far the clocks of a server and of the log may be apart. */
const SKEW_MS = 5_000;
/** How long a record may wait on the bus before it is on the log. */
const DELAY_MS = 600_000;

/** The record of a retrieval. @throws NotFound, also for one that the caller may not see, and for one that is not on the log yet or any more */
export const findRetrieval = async (journal: Journal, access: Access, traceId: string): Promise<RetrievalRecordData> =>
  (await journal.decode(await findRetrievalEvent(journal, access, traceId))).event.data as RetrievalRecordData;

/** The same as it is stored. @throws NotFound */
export const findRetrievalEvent = async (journal: Journal, access: Access, traceId: string): Promise<RecordedEvent> => {
  const stream = retrievalStream(access.tenant);
  for await (const event of candidates(journal.log, stream, timeOfTrace(traceId))) {
    if (event.type !== 'KnowledgeRetrieved' || event.data['traceId'] !== traceId) continue;
    if (visibilityOf(access, event) !== 'open') break;
    return event;
  }
  throw new NotFound('retrieval', traceId);
};

async function* candidates(log: EventLog, stream: StreamName, time: number | undefined): AsyncIterable<RecordedEvent> {
  if (time === undefined) return yield* log.readStream(stream, { direction: 'backwards', limit: MAX_READ });
  // Records are appended in the order of their time, except for moments. The newest one is looked at in any case; a miss has two events.
  const first = await firstRevision(log, stream, ({ recordedAt }) => Date.parse(recordedAt) >= time - SKEW_MS);
  const from = Math.max(0, first - 2);
  for await (const event of log.readStream(stream, { from, limit: MAX_READ })) {
    if (Date.parse(event.recordedAt) > time + DELAY_MS) return;
    yield event;
  }
}
