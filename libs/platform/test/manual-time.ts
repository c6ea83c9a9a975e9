import type { Clock, Scheduler } from '@palimpsest/foundation';

type Timer = { readonly at: number; readonly run: () => void };

/** A clock and timers that a test moves. */
export class ManualTime {
  #now = 0;
  #timers: Timer[] = [];
  readonly clock: Clock = { now: () => this.#now, elapsed: () => this.#now };
  readonly scheduler: Scheduler = {
    after: (ms, run) => {
      const timer = { at: this.#now + ms, run };
      this.#timers.push(timer);
      return () => (this.#timers = this.#timers.filter((other) => other !== timer));
    },
    every: () => {
      throw new Error('not needed');
    },
    soon: (run) => void setImmediate(run),
  };

  /** Runs the timers that are due within `ms`, in order, and what they cause. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      await settled();
      const next = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#timers = this.#timers.filter((other) => other !== next);
      this.#now = next.at;
      next.run();
    }
    this.#now = end;
    await settled();
  }
}

export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
