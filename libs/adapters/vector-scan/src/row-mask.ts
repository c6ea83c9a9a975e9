/** A set of rows as a bit set of 32-bit words. The number of words is always even, because the kernel reads 64 bits at a time. */
export class RowMask {
  #words: Uint32Array;
  #rows = 0;
  #count = 0;

  constructor(words = new Uint32Array(2)) {
    this.#words = words;
  }

  /** One more than the highest row ever set. */
  get rows(): number {
    return this.#rows;
  }

  /** The number of rows that are set. */
  get count(): number {
    return this.#count;
  }

  has(row: number): boolean {
    return ((this.#words[row >>> 5] ?? 0) & (1 << (row & 31))) !== 0;
  }

  set(row: number): void {
    if (row >>> 5 >= this.#words.length) {
      const larger = new Uint32Array(2 * Math.max(this.#words.length, (row >>> 5) + 1));
      larger.set(this.#words);
      this.#words = larger;
    }
    if (!this.has(row)) this.#count++;
    this.#words[row >>> 5] = (this.#words[row >>> 5] ?? 0) | (1 << (row & 31));
    this.#rows = Math.max(this.#rows, row + 1);
  }

  clear(row: number): void {
    if (!this.has(row)) return;
    this.#count--;
    this.#words[row >>> 5] = (this.#words[row >>> 5] ?? 0) & ~(1 << (row & 31));
  }

  copy(): RowMask {
    const copied = new RowMask(this.#words.slice(0, 2 * Math.max(1, Math.ceil(this.#rows / 64))));
    copied.#rows = this.#rows;
    copied.#count = this.#count;
    return copied;
  }

  /** Returns a copy with only the rows for which `keep` returns true. */
  filtered(keep: (row: number) => boolean): RowMask {
    const copied = this.copy();
    for (let w = 0; w < copied.#words.length; w++) {
      let kept = 0;
      for (let bits = copied.#words[w] ?? 0; bits !== 0; bits &= bits - 1) {
        if (keep(32 * w + 31 - Math.clz32(bits & -bits))) kept |= bits & -bits;
        else copied.#count--;
      }
      copied.#words[w] = kept;
    }
    return copied;
  }

  list(): number[] {
    const rows: number[] = [];
    this.filtered((row) => rows.push(row) > 0);
    return rows;
  }

  /** Returns the words of up to `count` rows from `first` (both multiples of 64). */
  words(first: number, count: number): Uint32Array {
    const end = 2 * Math.ceil(this.#rows / 64);
    return this.#words.subarray(first / 32, Math.min(end, (first + count) / 32));
  }
}
