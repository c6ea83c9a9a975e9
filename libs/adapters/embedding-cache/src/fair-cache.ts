/**
 * Keeps at most `maxEntries` values, of each owner the most recently used ones. When it is full, the owner with the most values loses
 * one. So an owner who fills the cache only loses its own values, and learns nothing about those of others.
 */
export class FairCache<Value> {
  readonly #maxEntries: number;
  /** A map keeps the order of insertion, so the first key is the least recently used one. */
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

  forget(owner: string): void {
    this.#size -= this.#owners.get(owner)?.size ?? 0;
    this.#owners.delete(owner);
  }

  #evict(): void {
    let [largest, max]: [string, number] = ['', 0];
    for (const [owner, { size }] of this.#owners) if (size > max) [largest, max] = [owner, size];
    const own = this.#owners.get(largest);
    const oldest = own?.keys().next();
    if (own === undefined || oldest === undefined || oldest.done === true) return;
    own.delete(oldest.value);
    this.#size--;
    if (own.size === 0) this.#owners.delete(largest);
  }
}
