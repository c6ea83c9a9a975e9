import { Mutex, SYSTEM, type Cancel, type Scheduler } from '@palimpsest/foundation';

/**
 * Makes many writes durable together, a while after they were made: an fsync for each batch would cost more than the batch.
 * What a crash loses is projected again from the log.
 */
export class DelayedFlush {
  readonly #flush: () => Promise<void>;
  readonly #delayMs: number;
  readonly #onError: (error: unknown) => void;
  readonly #scheduler: Scheduler;
  #timer: Cancel | undefined;
  readonly #mutex = new Mutex();

  constructor(flush: () => Promise<void>, delayMs: number, onError: (error: unknown) => void, scheduler: Scheduler = SYSTEM.scheduler) {
    this.#scheduler = scheduler;
    this.#flush = flush;
    this.#delayMs = delayMs;
    this.#onError = onError;
  }

  /** Call after a write. */
  soon(): void {
    this.#timer ??= this.#scheduler.after(this.#delayMs, () => void this.now().catch(this.#onError));
  }

  /** Flushes, after the flush in progress if any. */
  now(): Promise<void> {
    this.#timer?.();
    this.#timer = undefined;
    return this.#mutex.run(this.#flush);
  }
}
