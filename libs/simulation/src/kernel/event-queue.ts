/** Something that happens at a time. Of two at the same time, the one that was added first comes first. */
type Entry<T> = Readonly<{ at: number; order: number; item: T }>;

/** Items by time: a binary heap. */
export class EventQueue<T> {
  readonly #heap: Entry<T>[] = [];
  #order = 0;

  get size(): number {
    return this.#heap.length;
  }

  add(at: number, item: T): void {
    this.#heap.push({ at, order: this.#order++, item });
    for (let child = this.#heap.length - 1; child > 0;) {
      const parent = (child - 1) >> 1;
      if (this.#isOrdered(parent, child)) return;
      this.#swap(parent, child);
      child = parent;
    }
  }

  take(): Readonly<{ at: number; item: T }> | undefined {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    if (first === undefined || last === undefined || this.#heap.length === 0) return first;
    this.#heap[0] = last;
    for (let parent = 0; ;) {
      const [left, right] = [2 * parent + 1, 2 * parent + 2];
      let min = parent;
      if (left < this.#heap.length && !this.#isOrdered(min, left)) min = left;
      if (right < this.#heap.length && !this.#isOrdered(min, right)) min = right;
      if (min === parent) return first;
      this.#swap(parent, min);
      parent = min;
    }
  }

  #isOrdered(first: number, second: number): boolean {
    const [a, b] = [this.#heap[first], this.#heap[second]];
    return a === undefined || b === undefined || a.at < b.at || (a.at === b.at && a.order < b.order);
  }

  #swap(one: number, other: number): void {
    const [a, b] = [this.#heap[one], this.#heap[other]];
    if (a === undefined || b === undefined) return;
    [this.#heap[one], this.#heap[other]] = [b, a];
  }
}
