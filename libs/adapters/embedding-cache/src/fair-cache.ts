/**
 * Keeps at most `maxEntries` values, of each owner those that were used last. When it is full, the owner with the most values
 * loses one: whoever fills it loses only their own, and learns nothing about what others keep.
 */
export class FairCache<Value> {
  readonly #maxEntries: number;
  /** A map keeps the order of insertion: the first key is the one that was not used for longest. */
  readonly #owners = new Map<string, Map<string, Value>>();
  #size = 0;

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  get size(): number {
    return this.#size;
  }

  get(owner: string, key: string): Value | undefined {
    const own = this.#owners.get(owner);
    const value = own?.get(key);
    if (own === undefined || value === undefined) return undefined;
    own.delete(key);
    own.set(key, value);
    return value;
  }

  set(owner: string, key: string, value: Value): void {
    const own = this.#owners.get(owner) ?? new Map<string, Value>();
    this.#owners.set(owner, own);
    if (own.delete(key)) this.#size--;
    own.set(key, value);
    this.#size++;
    if (this.#size > this.#maxEntries) this.#evict();
  }

  #evict(): void {
    let [largest, most]: [string, number] = ['', 0];
    for (const [owner, { size }] of this.#owners) if (size > most) [largest, most] = [owner, size];
    const own = this.#owners.get(largest);
    const oldest = own?.keys().next();
    if (own === undefined || oldest === undefined || oldest.done === true) return;
    own.delete(oldest.value);
    this.#size--;
    if (own.size === 0) this.#owners.delete(largest);
  }
}
