import type { JsonObject, RecordedEvent, StreamName } from '@palimpsest/knowledge/ports';
import { position } from '@palimpsest/knowledge/values';
import type { StoredEvent } from './log-calls.ts';
import { nextTurn, turnIsSpent } from './loop-turns.ts';

/** Parses a chunk, a few milliseconds at a time, so that a batch with many vectors does not block the event loop. */
export const decodeEvents = async (stored: readonly StoredEvent[]): Promise<readonly RecordedEvent[]> => {
  const events: RecordedEvent[] = [];
  for (const event of stored) {
    if (turnIsSpent()) await nextTurn();
    events.push(decodeEvent(event));
  }
  return events;
};

// JSON.stringify wrote the texts, and their checksums were verified.
const decodeEvent = (stored: StoredEvent): RecordedEvent => ({
  id: uuid(stored.id),
  type: stored.type,
  data: JSON.parse(stored.data) as JsonObject,
  metadata: JSON.parse(stored.metadata) as JsonObject,
  stream: stored.stream as StreamName,
  revision: stored.revision,
  position: position(BigInt(stored.position)),
  recordedAt: new Date(stored.recordedAt).toISOString(),
});

const uuid = (digits: string): string =>
  [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)].join('-');
