/** The values of the ids noted last, in the order of noting; the oldest are forgotten. */
export class IdWindow<V> {
  readonly #values = new Map<string, V>();
  readonly #max: number;
  /** Kept between calls: a new iterator would have to skip all deleted entries at the front each time. */
  #oldest: MapIterator<string>;

  constructor(max: number) {
    this.#max = max;
    this.#oldest = this.#values.keys();
  }

  get(id: string): V | undefined {
    return this.#values.get(id);
  }

  /** The id must be unknown. */
  note(id: string, value: V): void {
    this.#values.set(id, value);
    if (this.#values.size > this.#max) this.#forgetOldest();
  }

  forget(id: string): void {
    this.#values.delete(id);
  }

  #forgetOldest(): void {
    let { value: oldest } = this.#oldest.next();
    if (oldest === undefined) {
      // the iterator was exhausted, and does not restart
      this.#oldest = this.#values.keys();
      ({ value: oldest } = this.#oldest.next());
    }
    if (oldest !== undefined) this.#values.delete(oldest);
  }
}
