/** Runs work of one key in the order of the calls, one at a time; work of different keys goes on side by side. */
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

  /** Resolves when all that was asked for so far has ended, well or badly. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#last.values());
  }
}
