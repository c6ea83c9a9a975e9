import { SYSTEM } from '@palimpsest/foundation';
import type { Later } from './concurrency-limiter.ts';

/** Share of the time of the previous work that may be spent on accepting or refusing arrivals before the next work starts. */
const SHARE = 0.08;
const MIN_MS = 1;

/**
 * Finds ticks of the event loop without arrivals. A tick accepts one new connection and reads the existing ones. If work started in
 * each tick, connections would be accepted only as fast as work is done, and the others would wait in the kernel, where the server
 * cannot refuse them. If arrivals take more than their share of time, work starts anyway.
 */
export class QuietTicks {
  #arrivals = 0;
  readonly #nextTick: Later;
  readonly #now: () => number;

  constructor(nextTick: Later = SYSTEM.scheduler.soon, now: () => number = () => SYSTEM.clock.elapsed()) {
    this.#nextTick = nextTick;
    this.#now = now;
  }

  /** Counts an arrival: a new connection, or a request on an existing one. */
  arrived(): void {
    this.#arrivals++;
  }

  /**
   * Runs `work` after a tick without arrivals, or when the arrivals have used their share of time. Called when the previous work starts.
   */
  readonly later: Later = (work) => {
    const scheduledAt = this.#now();
    let until: number | undefined;
    let seen = -1;
    const tick = (): void => {
      const now = this.#now();
      // The previous work has blocked the event loop until now.
      until ??= now + Math.max(MIN_MS, (now - scheduledAt) * SHARE);
      if (this.#arrivals === seen || now >= until) {
        work();
        return;
      }
      seen = this.#arrivals;
      this.#nextTick(tick);
    };
    this.#nextTick(tick);
  };
}
