/** Runs asynchronous work sequentially, in the order of the `run` calls. A failure rejects only its own call. */
export class InOrder {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Resolves when all work submitted so far has ended. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
