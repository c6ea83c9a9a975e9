import { InvalidValue } from '@palimpsest/knowledge/errors';
import { InFlightWindow, inFlightWindowOptions, type InFlightWindowOptions } from './in-flight-window.ts';

/** A bus with its own clock that processes `perSecond` messages, and a relay that always has more. */
const aBus = (perSecond: number, options: InFlightWindowOptions = {}) => {
  const bus = { now: 0, lag: 0, perSecond, asked: 0, max: 0, idleMs: 0, done: 0 };
  const window = new InFlightWindow(
    async () => (bus.asked++, Math.ceil(bus.lag)),
    inFlightWindowOptions(options),
    () => bus.now,
  );
  const run = async (ms: number): Promise<void> => {
    for (const end = bus.now + ms; bus.now < end; bus.now++) {
      const worked = Math.min(bus.lag, bus.perSecond / 1_000);
      if (bus.lag === 0) bus.idleMs++;
      [bus.lag, bus.done] = [bus.lag - worked, bus.done + worked];
      if (window.nextPollInMs() > 0) continue;
      const capacity = await window.available();
      window.published(capacity);
      bus.lag += capacity;
      bus.max = Math.max(bus.max, bus.lag);
    }
  };
  return { bus, window, run };
};

describe('The in-flight window', () => {
  it('puts no more messages on a slow bus than it needs to stay busy', async () => {
    const { bus, run } = aBus(3);
    await run(20_000);
    expect(bus.max).toBeLessThanOrEqual(8);
    expect(bus.done).toBeGreaterThan(59);
  });

  it('keeps a bus of any speed busy, and never has more than the window on it', async () => {
    for (const perSecond of [1, 10, 100, 300]) {
      const { bus, run } = aBus(perSecond);
      await run(3_000);
      bus.idleMs = 0;
      await run(5_000);
      expect(bus.max).toBeLessThanOrEqual(32);
      expect({ perSecond, busy: bus.idleMs < 50 }).toEqual({ perSecond, busy: true });
    }
  });

  it('shrinks when processing becomes slow, and grows when it becomes fast', async () => {
    const { bus, run } = aBus(200);
    await run(4_000);
    bus.perSecond = 2;
    await run(20_000);
    bus.max = 0;
    await run(5_000);
    expect(bus.max).toBeLessThanOrEqual(8);
    bus.perSecond = 200;
    await run(4_000);
    const before = bus.done;
    await run(1_000);
    expect(bus.done - before).toBeGreaterThan(150);
  });

  it('polls immediately, then only when the bus may be full, and never continuously', async () => {
    const { bus, window, run } = aBus(0, { window: 4 });
    expect(await window.available()).toBe(4);
    window.published(1);
    expect([await window.available(), bus.asked]).toEqual([3, 1]);
    window.published(3);
    bus.lag = 4;
    await run(10_000);
    expect(bus.asked).toBeLessThanOrEqual(101);
    expect(await window.available()).toBe(0);
  });

  it('counts messages of others: another relay, retried dead letters', async () => {
    const { bus, window } = aBus(0, { window: 4 });
    expect(await window.available()).toBe(4);
    bus.lag = 3;
    bus.now = 2_000;
    expect(await window.available()).toBe(1);
  });

  it.each([
    [{ window: 0 }, 'window'],
    [{ window: 1.5 }, 'window'],
    [{ min: 0 }, 'min'],
    [{ window: 4, min: 5 }, 'min'],
    [{ pollEveryMs: -1 }, 'pollEveryMs'],
  ])('rejects %j', (options, field) => {
    expect(() => inFlightWindowOptions(options)).toThrow(InvalidValue);
    expect(() => inFlightWindowOptions(options)).toThrow(`${field}: expected`);
  });
});
