/** What is known of the ids noted last, in the order of noting; the oldest are forgotten. */
export class IdWindow<V> {
  readonly #values = new Map<string, V>();
  readonly #most: number;
  /** Goes on where it was: a new one would each time pass over all places at the front that were given up. */
  #oldest: MapIterator<string>;

  constructor(most: number) {
    this.#most = most;
    this.#oldest = this.#values.keys();
  }

  get(id: string): V | undefined {
    return this.#values.get(id);
  }

  /** The id must be unknown. */
  note(id: string, value: V): void {
    this.#values.set(id, value);
    if (this.#values.size > this.#most) this.#forgetOldest();
  }

  forget(id: string): void {
    this.#values.delete(id);
  }

  #forgetOldest(): void {
    let { value: oldest } = this.#oldest.next();
    if (oldest === undefined) {
      // it had come to the end, and does not begin again by itself
      this.#oldest = this.#values.keys();
      ({ value: oldest } = this.#oldest.next());
    }
    if (oldest !== undefined) this.#values.delete(oldest);
  }
}
