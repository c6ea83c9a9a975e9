import { pause, SYSTEM, type System } from '@palimpsest/foundation';

/** Events that are projected at a time; with a cap, at most those of one second. With 128, a rebuild takes 8 % longer. */
const BATCH = 256;
/** The same while queries are answered: they wait for a batch that is being written. */
const SMALL_BATCH = 32;
/** Queries are being answered if the last one began within this time, in milliseconds. */
const RECENT_MS = 1_000;
/** Then each batch is followed by a rest of this many times its duration: a build takes a quarter of the time. */
const RESTS = 3;

/** The queries that this process answers. `sinceLastMs`: milliseconds since the last one began; Infinity if there was none. */
export type Readers = Readonly<{ sinceLastMs: () => number }>;

/** No query is ever answered meanwhile. */
export const NO_READERS: Readers = { sinceLastMs: () => Infinity };

/**
 * Holds a build back: while it is paused, while queries are answered, and so that it projects at most a number of events per second.
 */
export class RebuildPace {
  readonly #readers: Readers;
  readonly #maxEventsPerSecond: number;
  readonly #system: System;
  #resumed: { promise: Promise<void>; resolve: () => void } | undefined;
  #isReleased = false;
  /** The events since a time, from which the cap is counted. */
  #since = 0;
  #events = 0;

  /** When the current batch began. */
  #began: number | undefined;

  constructor(maxEventsPerSecond?: number, readers: Readers = NO_READERS, system: System = SYSTEM) {
    this.#maxEventsPerSecond = maxEventsPerSecond ?? Infinity;
    this.#readers = readers;
    this.#system = system;
    this.#countAgain();
  }

  /** Events to project at a time. */
  batch(): number {
    return Math.min(this.#isRead() ? SMALL_BATCH : BATCH, this.#maxEventsPerSecond);
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
    const { clock, scheduler } = this.#system;
    const ended = clock.elapsed();
    const restUntil = ended + RESTS * (ended - (this.#began ?? ended));
    while (!this.#isReleased && !signal.aborted) {
      if (this.#resumed) {
        await Promise.race([this.#resumed.promise, aborted(signal)]);
        continue;
      }
      const capUntil = this.#since + (this.#events / this.#maxEventsPerSecond) * 1_000;
      const waitMs = Math.max(capUntil, this.#isRead() ? restUntil : -Infinity) - clock.elapsed();
      if (waitMs <= 0) break;
      await pause(waitMs, signal, scheduler);
    }
    this.#events += events;
    this.#began = clock.elapsed();
  }

  #isRead(): boolean {
    return this.#readers.sinceLastMs() < RECENT_MS;
  }

  /** The time of a pause does not count: afterwards the build must not catch up with more events than the cap. */
  #countAgain(): void {
    this.#since = this.#system.clock.elapsed();
    this.#events = 0;
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
