export type CachedTable = Readonly<{ bytes: () => number; evict: () => void }>;

/** Limits the total size of the loaded tables: evicts the least recently used ones. */
export class TableCache {
  readonly #limit: number;
  /** The most recently used last. */
  readonly #tables = new Set<CachedTable>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get bytes(): number {
    return [...this.#tables].reduce((sum, held) => sum + held.bytes(), 0);
  }

  /** Marks a table as just used, and evicts others. The given table stays, regardless of its size. */
  use(table: CachedTable): void {
    this.#tables.delete(table);
    this.#tables.add(table);
    let { bytes } = this;
    for (const held of this.#tables) {
      if (bytes <= this.#limit || held === table) return;
      bytes -= held.bytes();
      this.#tables.delete(held);
      held.evict();
    }
  }

  forget(table: CachedTable): void {
    this.#tables.delete(table);
  }
}
