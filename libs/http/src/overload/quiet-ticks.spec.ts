import { QuietTicks } from './quiet-ticks.ts';

/** An event loop whose ticks a test runs; each takes one millisecond by default. */
const aLoop = () => {
  const pending: (() => void)[] = [];
  let now = 0;
  const tick = (ms = 1): void => {
    now += ms;
    pending.splice(0).forEach((work) => work());
  };
  return {
    quiet: new QuietTicks(
      (work) => void pending.push(work),
      () => now,
    ),
    tick,
  };
};

describe('work that waits for a quiet tick', () => {
  it('starts after a tick without arrivals', () => {
    const { quiet, tick } = aLoop();
    let started = false;
    quiet.arrived();
    quiet.later(() => (started = true));
    tick(0);
    expect(started).toBe(false);
    tick(0);
    expect(started).toBe(true);
  });

  it('waits during arrivals, for at most 8 % of the time that the previous work took', () => {
    const { quiet, tick } = aLoop();
    let started = false;
    quiet.later(() => (started = true));
    tick(100);
    let ticks = 0;
    for (; !started && ticks < 1_000; ticks++) {
      quiet.arrived();
      tick();
    }
    expect(ticks).toBe(8);
  });
});
