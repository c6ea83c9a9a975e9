import { InvalidValue } from '@palimpsest/knowledge';
import { BusWindow, busWindowOptions, type BusWindowOptions } from './bus-window.ts';

/** A bus that works off so many a second, on a clock of its own, and a relay that always has more for it. */
const aBus = (perSecond: number, options: BusWindowOptions = {}) => {
  const bus = { now: 0, lag: 0, perSecond, asked: 0, most: 0, idleMs: 0, done: 0 };
  const window = new BusWindow(async () => (bus.asked++, Math.ceil(bus.lag)), busWindowOptions(options), () => bus.now);
  const run = async (ms: number): Promise<void> => {
    for (const end = bus.now + ms; bus.now < end; bus.now++) {
      const worked = Math.min(bus.lag, bus.perSecond / 1_000);
      if (bus.lag === 0) bus.idleMs++;
      [bus.lag, bus.done] = [bus.lag - worked, bus.done + worked];
      if (window.askAgainIn() > 0) continue;
      const room = await window.room();
      window.published(room);
      bus.lag += room;
      bus.most = Math.max(bus.most, bus.lag);
    }
  };
  return { bus, window, run };
};

describe('the window onto the bus', () => {
  it('puts no more onto a slow bus than what keeps it busy', async () => {
    const { bus, run } = aBus(3);
    await run(20_000);
    expect(bus.most).toBeLessThanOrEqual(8);
    expect(bus.done).toBeGreaterThan(59);
  });

  it('keeps a bus of any speed busy, and never has more than the window on it', async () => {
    for (const perSecond of [1, 10, 100, 300]) {
      const { bus, run } = aBus(perSecond);
      await run(3_000);
      bus.idleMs = 0;
      await run(5_000);
      expect(bus.most).toBeLessThanOrEqual(32);
      expect({ perSecond, busy: bus.idleMs < 50 }).toEqual({ perSecond, busy: true });
    }
  });

  it('goes back to little when the work gets slow, and up again when it gets fast', async () => {
    const { bus, run } = aBus(200);
    await run(4_000);
    bus.perSecond = 2;
    await run(20_000);
    bus.most = 0;
    await run(5_000);
    expect(bus.most).toBeLessThanOrEqual(8);
    bus.perSecond = 200;
    await run(4_000);
    const before = bus.done;
    await run(1_000);
    expect(bus.done - before).toBeGreaterThan(150);
  });

  it('asks at once, then only when the bus may be full, and never all the time', async () => {
    const { bus, window, run } = aBus(0, { window: 4 });
    expect(await window.room()).toBe(4);
    window.published(1);
    expect([await window.room(), bus.asked]).toEqual([3, 1]);
    window.published(3);
    bus.lag = 4;
    await run(10_000);
    expect(bus.asked).toBeLessThanOrEqual(101);
    expect(await window.room()).toBe(0);
  });

  it('counts what others put there: another relay, dead letters that are tried again', async () => {
    const { bus, window } = aBus(0, { window: 4 });
    expect(await window.room()).toBe(4);
    bus.lag = 3;
    bus.now = 2_000;
    expect(await window.room()).toBe(1);
  });

  it.each([
    [{ window: 0 }, 'window'], [{ window: 1.5 }, 'window'], [{ least: 0 }, 'least'], [{ window: 4, least: 5 }, 'least'], [{ askEveryMs: -1 }, 'askEveryMs'],
  ])('refuses %j', (options, field) => {
    expect(() => busWindowOptions(options)).toThrow(InvalidValue);
    expect(() => busWindowOptions(options)).toThrow(`${field}: expected`);
  });
});
