import { nextTurn, SYSTEM, type System } from '@palimpsest/foundation';
import { NO_READERS, RebuildPace } from './rebuild-pace.ts';

const never = new AbortController().signal;

/** Time that passes only for those who wait for it. */
const waitedTime = () => {
  const waits: number[] = [];
  let now = 0;
  const system: System = {
    ...SYSTEM,
    clock: { now: () => now, elapsed: () => now },
    scheduler: {
      ...SYSTEM.scheduler,
      after: (ms, run) => {
        waits.push(ms);
        now += ms;
        queueMicrotask(run);
        return () => undefined;
      },
    },
  };
  return { system, waits, pass: (ms: number) => (now += ms) };
};

const isSettled = async (promise: Promise<unknown>): Promise<boolean> => {
  let settled = false;
  void promise.then(() => (settled = true));
  for (let i = 0; i < 10; i++) await nextTurn(SYSTEM.scheduler);
  return settled;
};

describe('The pace of a rebuild', () => {
  it('waits until its events would have taken the time of the cap', async () => {
    const { system, waits, pass } = waitedTime();
    const pace = new RebuildPace(100, NO_READERS, system);
    expect(pace.batch()).toBe(100);
    for (let i = 0; i < 3; i++) await pace.next(50, never);
    expect(waits).toEqual([500, 500]);
    pass(200);
    await pace.next(50, never);
    expect(waits).toEqual([500, 500, 300]);
  });

  it('does not catch up afterwards on what a pause has cost', async () => {
    const { system, waits, pass } = waitedTime();
    const pace = new RebuildPace(100, NO_READERS, system);
    await pace.next(100, never);
    pace.pause();
    pass(60_000);
    pace.resume();
    for (let i = 0; i < 3; i++) await pace.next(100, never);
    expect(waits).toEqual([1_000, 1_000]);
  });

  it('takes a quarter of the time, in smaller batches, while queries are answered', async () => {
    const { system, waits, pass } = waitedTime();
    let sinceLastMs = 999;
    const pace = new RebuildPace(undefined, { sinceLastMs: () => sinceLastMs }, system);
    expect(pace.batch()).toBe(32);
    await pace.next(32, never);
    pass(5);
    await pace.next(32, never);
    pass(4);
    await pace.next(32, never);
    sinceLastMs = 1_000;
    pass(7);
    await pace.next(32, never);
    expect([waits, pace.batch()]).toEqual([[15, 12], 256]);
  });

  it('does not rest for a pause', async () => {
    const { system, waits, pass } = waitedTime();
    const pace = new RebuildPace(undefined, { sinceLastMs: () => 0 }, system);
    await pace.next(32, never);
    pass(5);
    pace.pause();
    const next = pace.next(32, never);
    pass(60_000);
    pace.resume();
    await next;
    pass(5);
    await pace.next(32, never);
    expect(waits).toEqual([15]);
  });

  it('never waits without a cap', async () => {
    const { system, waits } = waitedTime();
    const pace = new RebuildPace(undefined, NO_READERS, system);
    for (let i = 0; i < 100; i++) await pace.next(pace.batch(), never);
    expect([pace.batch(), waits]).toEqual([256, []]);
  });

  it.each([
    ['it is resumed', (pace: RebuildPace) => pace.resume()],
    ['it is cancelled', (_: RebuildPace, stop: AbortController) => stop.abort()],
  ])('holds events back while it is paused, until %s', async (_, end) => {
    const [pace, stop] = [new RebuildPace(), new AbortController()];
    pace.pause();
    const next = pace.next(1, stop.signal);
    expect([pace.isPaused, await isSettled(next)]).toEqual([true, false]);
    end(pace, stop);
    expect(await isSettled(next)).toBe(true);
  });

  it('holds nothing back once it is released', async () => {
    const { system, waits } = waitedTime();
    const pace = new RebuildPace(1, NO_READERS, system);
    pace.release();
    for (let i = 0; i < 10; i++) await pace.next(1, never);
    expect(waits).toEqual([]);
  });
});
