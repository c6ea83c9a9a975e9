import { pause, SYSTEM, type System } from '@palimpsest/foundation';

/** Events that are projected at a time; with a cap, at most those of one second. */
const BATCH = 128;

/** Holds a build back: while it is paused, and so that it projects at most a number of events per second. */
export class RebuildPace {
  readonly batch: number;
  readonly #maxEventsPerSecond: number;
  readonly #system: System;
  #resumed: { promise: Promise<void>; resolve: () => void } | undefined;
  #isReleased = false;
  /** The events since a time, from which the cap is counted. */
  #since = 0;
  #events = 0;

  constructor(maxEventsPerSecond?: number, system: System = SYSTEM) {
    this.#maxEventsPerSecond = maxEventsPerSecond ?? Infinity;
    this.batch = Math.min(BATCH, this.#maxEventsPerSecond);
    this.#system = system;
    this.#countAgain();
  }

  get isPaused(): boolean {
    return this.#resumed !== undefined;
  }

  /** Whether nothing is held back any more. */
  get isReleased(): boolean {
    return this.#isReleased;
  }

  pause(): void {
    this.#resumed ??= Promise.withResolvers<void>();
  }

  resume(): void {
    this.#resumed?.resolve();
    this.#resumed = undefined;
    this.#countAgain();
  }

  /** Nothing is held back from now on: others wait for the rest. */
  release(): void {
    this.#isReleased = true;
  }

  /** Resolves when the next events may be projected, or `signal` aborts. */
  async next(events: number, signal: AbortSignal): Promise<void> {
    while (!this.#isReleased && !signal.aborted) {
      if (this.#resumed) {
        await Promise.race([this.#resumed.promise, aborted(signal)]);
        continue;
      }
      const waitMs = this.#since + (this.#events / this.#maxEventsPerSecond) * 1_000 - this.#system.clock.elapsed();
      if (waitMs <= 0) break;
      await pause(waitMs, signal, this.#system.scheduler);
    }
    this.#events += events;
  }

  /** The time of a pause does not count: afterwards the build must not catch up with more events than the cap. */
  #countAgain(): void {
    this.#since = this.#system.clock.elapsed();
    this.#events = 0;
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
