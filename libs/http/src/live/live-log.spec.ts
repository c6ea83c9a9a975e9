import fc from 'fast-check';
import type { EventLog, FollowOptions, StreamName } from '@palimpsest/knowledge/ports';
import { position, START, type Position } from '@palimpsest/knowledge/values';
import { InMemoryEventLog } from '@palimpsest/test-kit';
import { FellBehind, LiveLog } from './live-log.ts';

const STREAM = 'document-acme-a' as StreamName;
let number = 0;
const anEvent = () => ({
  id: `00000000-0000-8000-8000-${String(++number).padStart(12, '0')}`,
  type: 'DocumentSubmitted',
  data: { text: 'x'.repeat(10) },
  metadata: { tenant: 'acme' },
});

/** A log that counts its subscriptions; events are added one append at a time. */
class Log {
  readonly inner = new InMemoryEventLog();
  follows = 0;
  following = 0;
  #revision = -1;

  async add(events: number): Promise<void> {
    const { inner } = this;
    const result = await inner.append(
      STREAM,
      Array.from({ length: events }, anEvent),
      this.#revision === -1 ? 'no-stream' : this.#revision,
    );
    if (result.outcome === 'appended') this.#revision = result.revision;
  }

  async positions(): Promise<readonly bigint[]> {
    const positions: bigint[] = [];
    for await (const event of this.inner.readAll()) positions.push(event.position);
    return positions;
  }

  asLog(): Pick<EventLog, 'follow' | 'head' | 'readAll'> {
    const { inner } = this;
    const count = (by: number) => (this.following += by);
    return {
      head: () => inner.head(),
      readAll: (options) => inner.readAll(options),
      follow: (options: FollowOptions) => {
        this.follows++;
        return (async function* () {
          count(1);
          try {
            yield* inner.follow(options);
          } finally {
            count(-1);
          }
        })();
      },
    };
  }
}

const throwing = (error: unknown): never => {
  throw error;
};

/** The first `count` positions that a follower receives. */
const take = async (live: LiveLog, after: Position, count: number): Promise<readonly bigint[]> => {
  const stop = new AbortController();
  const received: bigint[] = [];
  if (count === 0) return received;
  for await (const { events } of live.follow(after, stop.signal)) {
    received.push(...events.map((event) => event.position));
    if (received.length >= count) stop.abort();
  }
  return received;
};

describe('followers of the live log', () => {
  it('receive every event once, in order, from any start and with any buffer size', () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 400 }),
        fc.array(fc.integer({ min: 1, max: 7 }), { maxLength: 6 }),
        fc.array(fc.nat({ max: 2_000 }), { minLength: 1, maxLength: 5 }),
        async (before, appends, starts) => {
          const log = new Log();
          if (before > 0) await log.add(before);
          const coming = appends.reduce((sum, each) => sum + each, 0);
          const old = await log.positions();
          const live = new LiveLog(log.asLog(), { maxEvents: 50, onError: throwing });
          const from = starts.map((start) => position(BigInt(Math.min(start, Number(old.at(-1) ?? 0n)))));
          const followers = from.map((start) => take(live, start, old.filter((each) => each > start).length + coming));
          for (const events of appends) await log.add(events);
          const all = await log.positions();
          expect(await Promise.all(followers)).toEqual(from.map((start) => all.filter((each) => each > start)));
        },
      ),
      { numRuns: 20 },
    ));

  it('share one subscription of the log, which ends with the last follower', async () => {
    const log = new Log();
    const live = new LiveLog(log.asLog(), { onError: throwing });
    const many = Array.from({ length: 200 }, () => take(live, START, 3));
    await log.add(3);
    await Promise.all(many);
    expect([log.follows, log.following]).toEqual([1, 0]);
    await Promise.all([take(live, START, 3), take(live, (await log.positions())[0] as Position, 2)]);
    expect([log.follows, log.following]).toEqual([2, 0]);
  });

  it('end when their signal aborts, also while no events arrive', async () => {
    const log = new Log();
    const live = new LiveLog(log.asLog(), { onError: throwing });
    const stop = new AbortController();
    const iteration = live.follow(START, stop.signal)[Symbol.asyncIterator]();
    const next = iteration.next();
    setTimeout(() => stop.abort(), 20);
    expect(await next).toEqual({ done: true, value: undefined });
    expect(log.following).toBe(0);
  });

  it('end when they fall behind, and can continue from their position', async () => {
    const log = new Log();
    await log.add(1);
    const live = new LiveLog(log.asLog(), { maxEvents: 10, onError: throwing });
    const quick = take(live, START, 101);
    const slow = live.follow(START, new AbortController().signal)[Symbol.asyncIterator]();
    const received: bigint[] = [];
    const hear = async (): Promise<void> => {
      const { value } = await slow.next();
      received.push(...(value?.events ?? []).map((event: { position: bigint }) => event.position));
    };
    await hear();
    await log.add(1);
    await hear();
    // The follower is live now, and does not read while more events arrive than the buffer holds.
    for (let i = 0; i < 99; i++) await log.add(1);
    await quick;
    await expect(slow.next()).rejects.toThrow(FellBehind);
    const last = received.at(-1) ?? 0n;
    const all = await log.positions();
    expect(all).toHaveLength(101);
    expect([...received, ...(await take(live, position(last), all.filter((each) => each > last).length))]).toEqual(all);
  });

  it('continue without gaps after a failure of the log', async () => {
    const log = new Log();
    const errors: unknown[] = [];
    let failures = 1;
    const failing: ReturnType<Log['asLog']> = {
      ...log.asLog(),
      follow: (options) =>
        failures-- > 0
          ? (async function* () {
              yield { events: [], upTo: options.after, caughtUp: false };
              throw new Error('the log is away');
            })()
          : log.inner.follow(options),
    };
    const live = new LiveLog(failing, { onError: (error) => errors.push(error) });
    const following = take(live, START, 3);
    await log.add(3);
    expect(await following).toEqual(await log.positions());
    expect(errors).toEqual([new Error('the log is away')]);
  });
});
