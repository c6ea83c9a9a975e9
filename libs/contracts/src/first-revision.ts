import type { EventLog, RecordedEvent, StreamName } from '@palimpsest/knowledge/ports';

type Log = Pick<EventLog, 'readStream'>;

/**
 * The revision of the first event of a stream that is reached, or one after the last event; by bisection, with one read of one event for
 * each doubling of the stream. `isReached`: once true for an event, true for all later ones.
 */
export const firstRevision = async (log: Log, stream: StreamName, isReached: (event: RecordedEvent) => boolean): Promise<number> => {
  const last = await one(log, stream, { direction: 'backwards' });
  let [low, high] = [0, last === undefined ? 0 : last.revision + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const event = await one(log, stream, { from: middle });
    if (event !== undefined && !isReached(event)) low = Math.max(middle, event.revision) + 1;
    else high = middle;
  }
  return low;
};

const one = async (
  log: Log,
  stream: StreamName,
  options: Readonly<{ from?: number; direction?: 'backwards' }>,
): Promise<RecordedEvent | undefined> => {
  for await (const event of log.readStream(stream, { ...options, limit: 1 })) return event;
  return undefined;
};
