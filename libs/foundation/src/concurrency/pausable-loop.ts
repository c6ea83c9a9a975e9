import { Mutex } from './mutex.ts';

/** Runs a loop between `start` and `stop`, and pauses it while other work requires that. */
export class PausableLoop {
  readonly #loop: (signal: AbortSignal) => Promise<void>;
  /** Between `start` and `stop`. */
  #wanted = false;
  #paused = false;
  /** Work that requires the loop to be paused; runs sequentially. */
  readonly #pauses = new Mutex();
  #running: { stop: AbortController; ended: Promise<void> } | undefined;

  /** `loop` must end soon after its signal aborts, and only then. It is started again after each pause. */
  constructor(loop: (signal: AbortSignal) => Promise<void>) {
    this.#loop = loop;
  }

  start(): void {
    this.#wanted = true;
    this.#resume();
  }

  /** Resolves when the loop has ended. */
  async stop(): Promise<void> {
    this.#wanted = false;
    await this.#halt();
  }

  /** Runs `work` while the loop is paused and no other such work runs. */
  whilePaused<T>(work: () => Promise<T>): Promise<T> {
    return this.#pauses.run(async () => {
      this.#paused = true;
      await this.#halt();
      try {
        return await work();
      } finally {
        this.#paused = false;
        this.#resume();
      }
    });
  }

  #resume(): void {
    if (!this.#wanted || this.#paused || this.#running) return;
    const stop = new AbortController();
    this.#running = { stop, ended: this.#loop(stop.signal) };
  }

  async #halt(): Promise<void> {
    const running = this.#running;
    if (!running) return;
    running.stop.abort();
    await running.ended;
    if (this.#running === running) this.#running = undefined;
  }
}
