/** First in, first out, and a way back to the front; both ends take constant time even with 100,000 entries waiting. */
export class Lane<T> {
  #entries: (T | undefined)[] = [];
  #first = 0;

  get length(): number {
    return this.#entries.length - this.#first;
  }

  push(entry: T): void {
    this.#entries.push(entry);
  }

  /** Gives an entry that was taken its place back. */
  putBack(entry: T): void {
    if (this.#first > 0) this.#entries[--this.#first] = entry;
    else this.#entries.unshift(entry);
  }

  /** What `take` would give. */
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
