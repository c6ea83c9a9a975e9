/** Runs the work of one key sequentially, in the order of the calls. Work of different keys runs concurrently. */
export class KeyedOrder {
  readonly #last = new Map<string, Promise<unknown>>();

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const result = before === undefined ? work() : before.then(work, work);
    this.#last.set(key, result);
    try {
      return await result;
    } finally {
      if (this.#last.get(key) === result) this.#last.delete(key);
    }
  }

  /** Resolves when all work requested so far has ended, successfully or not. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#last.values());
  }
}
