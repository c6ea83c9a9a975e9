import type { System } from '@palimpsest/foundation';
import type { Pressure } from './live-load.ts';
import { SMALLEST_SHARE, Throttle } from './throttle.ts';
import type { EndTurn } from './turns.ts';

const OPEN = async (): Promise<void> => undefined;
const SIGNAL = new AbortController().signal;

/** Time passes only while a batch waits, or when a batch is embedded. */
const aThrottle = (cap = 1, batches = 5) => {
  let now = 0;
  const world = {
    pressure: undefined as Pressure | undefined,
    hindered: [] as boolean[],
    pass: (ms: number) => void (now += ms),
    now: () => now,
  };
  const system = {
    clock: { elapsed: () => now },
    scheduler: { after: (ms: number, run: () => void) => (queueMicrotask(() => ((now += ms), run())), () => undefined) },
  } as unknown as Pick<System, 'clock' | 'scheduler'>;
  const load = { pressure: async (unhindered: boolean) => (world.hindered.push(!unhindered), world.pressure) };
  const throttle = new Throttle(load, { cap, batches }, system);
  const batch = async (tookMs: number, gate = OPEN, signal = SIGNAL): Promise<void> => {
    const end = await throttle.next(signal, gate);
    now += tookMs;
    end();
  };
  return { ...world, world, throttle, batch };
};

/** The part of the time that batches of 100 ms took. */
const busyShare = async ({ batch, now }: ReturnType<typeof aThrottle>, batches: number): Promise<number> => {
  const from = now();
  for (let i = 0; i < batches; i++) await batch(100);
  return (batches * 100) / (now() - from);
};

describe('the throttle of re-embedding', () => {
  it('lets a number of batches run at full speed, and the next one when one has ended or did not begin', async () => {
    const { throttle, now } = aThrottle(1, 5);
    const ends: EndTurn[] = [];
    for (let i = 0; i < 5; i++) ends.push(await throttle.next(SIGNAL, OPEN));
    expect([now(), throttle.share, throttle.slowed]).toEqual([0, 1, undefined]);
    const order: string[] = [];
    const paused = throttle.next(SIGNAL, async () => Promise.reject(new Error('the swap is paused'))).catch(() => order.push('paused'));
    const next = throttle.next(SIGNAL, OPEN).then((end) => (order.push('next'), end));
    await new Promise((resolve) => setImmediate(resolve));
    expect(order).toEqual([]);
    ends.pop()?.();
    await paused;
    ends.push(await next);
    expect(order).toEqual(['paused', 'next']);
    for (const end of ends) end();
    for (let i = 0; i < 5; i++) await throttle.next(SIGNAL, OPEN);
  });

  it('halves its share at each look while there is pressure, down to a tenth, and rises slowly afterwards', async () => {
    const one = aThrottle();
    one.world.pressure = 'searches';
    await one.batch(10);
    expect(one.throttle.slowed).toEqual({ percent: 50, because: 'load' });
    one.world.pressure = 'documents';
    one.pass(2_000);
    await one.batch(10);
    expect(one.throttle.slowed).toEqual({ percent: 25, because: 'load' });
    for (let look = 0; look < 5; look++) {
      one.pass(2_000);
      await one.batch(0);
    }
    expect(one.throttle.share).toBe(SMALLEST_SHARE);
    expect(one.world.hindered.at(-1)).toBe(false);
    one.world.pressure = undefined;
    one.pass(2_000);
    await one.batch(0);
    expect(one.throttle.share).toBeCloseTo(0.2);
    for (let look = 0; look < 8; look++) {
      one.pass(2_000);
      await one.batch(0);
    }
    expect([one.throttle.share, one.throttle.slowed]).toEqual([1, undefined]);
  });

  it.each([0.5, 0.25, 0.05])('takes the share %d of the time that the setting allows, and says so', async (cap) => {
    const one = aThrottle(cap);
    expect(await busyShare(one, 40)).toBeCloseTo(cap, 1);
    expect(one.throttle.slowed).toEqual({ percent: Math.round(100 * cap), because: 'cap' });
  });

  it('embeds one batch at a time below full speed', async () => {
    const { throttle } = aThrottle(0.9);
    const first = await throttle.next(SIGNAL, OPEN);
    let started = false;
    const second = throttle.next(SIGNAL, OPEN).then((end) => ((started = true), end));
    await new Promise((resolve) => setImmediate(resolve));
    expect(started).toBe(false);
    first();
    (await second)();
    expect(started).toBe(true);
  });

  it('looks at the swap while it rests, so that a pause takes effect at once, and lets others work after that', async () => {
    const one = aThrottle(0.1);
    await one.batch(10_000);
    let looks = 0;
    const gate = async (): Promise<void> => {
      if (++looks === 3) throw new Error('the swap is paused');
    };
    const from = one.now();
    await expect(one.batch(0, gate)).rejects.toThrow('the swap is paused');
    expect(one.now() - from).toBeLessThanOrEqual(1_000);
    await one.batch(0);
    expect(one.now() - from).toBe(90_000);
  });

  it('ends its rest when the process stops', async () => {
    const one = aThrottle(0.1);
    await one.batch(10_000);
    const stopping = new AbortController();
    stopping.abort(new Error('the process stops'));
    await expect(one.batch(0, OPEN, stopping.signal)).rejects.toThrow('the process stops');
  });
});
