/** Runs one piece of work at a time, in the order of the calls. A failure rejects only its own call. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Resolves when all work requested so far has ended, successfully or not. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
