import { randomUUID } from 'node:crypto';
import type { EventLog, FollowBatch, NewEvent, RecordedEvent } from '@palimpsest/knowledge/ports';

/** A log under test, initially empty. */
export type EventLogUnderTest = Readonly<{
  log: EventLog;
  /** Closes the log and opens its stored data again, as after a restart. */
  reopen(): Promise<EventLog>;
  /** Lets `seconds` pass on the log's clock; waits in real time if the clock cannot be set. */
  letTimePass(seconds: number): Promise<void>;
  /** Closes the log that was opened last and removes its data. */
  dispose(): Promise<void>;
  /**
   * Events past their retention, and truncated ones, are gone from `readAll` and `follow` immediately, not only from `readStream`. Without it, they may
   * appear there until the log has removed them.
   */
  removesAtOnce?: true;
}>;

/** The log of the current test. */
export type CurrentLog = () => EventLogUnderTest;

/** An event with a unique id, empty except for the given part. */
export const anEvent = (part: Partial<NewEvent> = {}): NewEvent => ({ id: randomUUID(), type: 'Noted', data: {}, metadata: {}, ...part });

export const events = (count: number, part: Partial<NewEvent> = {}): readonly NewEvent[] =>
  Array.from({ length: count }, () => anEvent(part));

export const idsOf = (some: readonly Readonly<{ id: string }>[]): readonly string[] => some.map(({ id }) => id);

export const collect = async <T>(items: AsyncIterable<T>): Promise<readonly T[]> => {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
};

/** Follows until `enough`, then stops; returns the batches so far. */
export const followUntil = async (
  log: EventLog,
  options: Omit<Parameters<EventLog['follow']>[0], 'signal'>,
  enough: (events: readonly RecordedEvent[], batch: FollowBatch) => boolean,
): Promise<readonly FollowBatch[]> => {
  const stop = new AbortController();
  const batches: FollowBatch[] = [];
  const seen: RecordedEvent[] = [];
  for await (const batch of log.follow({ ...options, signal: stop.signal })) {
    batches.push(batch);
    seen.push(...batch.events);
    if (enough(seen, batch)) stop.abort();
  }
  return batches;
};

export const eventsOf = (batches: readonly FollowBatch[]): readonly RecordedEvent[] => batches.flatMap((batch) => batch.events);
