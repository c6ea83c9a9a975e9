/**
 * Makes writes durable a while after they were made, many at a time: an fsync for each batch would cost more than the batch.
 * What a crash loses in between is projected again from the log.
 */
export class DelayedFlush {
  readonly #flush: () => Promise<void>;
  readonly #delayMs: number;
  readonly #onError: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #underWay: Promise<void> = Promise.resolve();

  constructor(flush: () => Promise<void>, delayMs: number, onError: (error: unknown) => void) {
    this.#flush = flush;
    this.#delayMs = delayMs;
    this.#onError = onError;
  }

  /** Something was written. */
  soon(): void {
    this.#timer ??= setTimeout(() => void this.now().catch(this.#onError), this.#delayMs);
  }

  /** Flushes after the one under way, if any. */
  now(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const flushed = this.#underWay.then(() => this.#flush());
    this.#underWay = flushed.catch(() => undefined);
    return flushed;
  }
}
