import type { BusClock } from '../src/bus/bus-clock.ts';

type Timer = Readonly<{ at: number; act: () => void }>;

/** A clock that stands still until it is advanced. */
export class FakeClock implements BusClock {
  private time = Date.UTC(2026, 0, 1);
  private readonly timers = new Set<Timer>();

  now(): number {
    return this.time;
  }

  after(ms: number, act: () => void): () => void {
    const timer = { at: this.time + Math.max(0, ms), act };
    this.timers.add(timer);
    return () => this.timers.delete(timer);
  }

  /** Advances the clock. `settle` finishes the work that each timer started before the next timer runs. */
  async pass(ms: number, settle: () => Promise<void> = async () => undefined): Promise<void> {
    const until = this.time + ms;
    await settle();
    for (let next = this.earliest(until); next !== undefined; next = this.earliest(until)) {
      this.timers.delete(next);
      this.time = Math.max(this.time, next.at);
      next.act();
      await settle();
    }
    this.time = until;
  }

  private earliest(until: number): Timer | undefined {
    return [...this.timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
  }
}
