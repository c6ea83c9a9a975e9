/** Position, end, stream and type of each event in $all, in memory: a filter looks at millions of them without reading any event. */
export class Heads {
  #all;
  constructor(all) {
    this.#all = all;
  }
  /** Position after the last event. */
  get end() {
    return this.#all.at(-1)?.post ?? 0;
  }
  add(head) {
    this.#all.push(head);
  }
  has(pos) {
    return this.#all[this.#indexOf(pos)]?.pos === pos;
  }
  /** At most `n` at or after a position, and before `end`. */
  from(pos, end, n) {
    const first = this.#indexOf(pos);
    return this.#all.slice(first, Math.min(first + n, this.#indexOf(end)));
  }
  /** At most `n` before a position, the last one first. */
  before(pos, n) {
    const end = this.#indexOf(pos);
    return this.#all.slice(Math.max(0, end - n), end).reverse();
  }
  /** Index of the first event at or after a position. */
  #indexOf(pos) {
    let [low, high] = [0, this.#all.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#all[middle].pos < pos) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
