import { randomUUID } from 'node:crypto';
import { pause } from '@palimpsest/foundation';
import {
  streamName,
  type EventLog,
  type FollowBatch,
  type NewEvent,
  type RecordedEvent,
  type StreamName,
} from '@palimpsest/knowledge/ports';
import { START, type Position } from '@palimpsest/knowledge/values';
import { openEventStoreLog, type EventStoreLog, type EventStoreLogOptions } from '../src/index.ts';

/** Timeouts short enough for tests that let them expire. */
export const IMPATIENT = { attemptMs: 400, totalMs: 1500, idleMs: 400 } as const;

export const anEvent = (part: Partial<NewEvent> = {}): NewEvent => ({ id: randomUUID(), type: 'Noted', data: {}, metadata: {}, ...part });
export const events = (count: number, part: Partial<NewEvent> = {}): readonly NewEvent[] =>
  Array.from({ length: count }, () => anEvent(part));
export const aStream = (name: number | string = 'one'): StreamName => streamName('document', 'acme', String(name));
export const idsOf = (some: readonly Readonly<{ id: string }>[]): readonly string[] => some.map(({ id }) => id);

export const collect = async <T>(items: AsyncIterable<T>): Promise<readonly T[]> => {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
};

const opened: EventStoreLog[] = [];
/** A log that is closed at the end of the test. */
export const openLog = async (options: EventStoreLogOptions): Promise<EventStoreLog> => {
  const log = await openEventStoreLog(options);
  opened.push(log);
  return log;
};
export const closeLogs = async (): Promise<void> => {
  await Promise.all(opened.splice(0).map((log) => log.close()));
};

/** A follower that runs in the background of the test and records what it receives. */
export class Following {
  readonly seen: RecordedEvent[] = [];
  readonly batches: FollowBatch[] = [];
  readonly #stop = new AbortController();
  /** Rejects with the error that ended following. */
  readonly ended: Promise<void>;

  constructor(log: EventLog, options: Readonly<{ after?: Position; types?: readonly string[]; maxBatch?: number }> = {}) {
    this.ended = this.#follow(log, options);
    this.ended.catch(() => undefined); // `stop` reports it
  }

  async #follow(log: EventLog, { after = START, ...rest }: ConstructorParameters<typeof Following>[1] = {}): Promise<void> {
    for await (const batch of log.follow({ after, signal: this.#stop.signal, ...rest })) {
      this.batches.push(batch);
      this.seen.push(...batch.events);
    }
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.ended;
  }
}

/** Waits until the condition holds. */
export const eventually = async (what: () => boolean | Promise<boolean>, ms = 300_000): Promise<void> => {
  for (const until = Date.now() + ms; !(await what());) {
    if (Date.now() > until) throw new Error(`the condition did not hold within ${ms} ms: ${String(what)}`);
    await pause(10);
  }
};
