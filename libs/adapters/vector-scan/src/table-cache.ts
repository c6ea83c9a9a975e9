export type CachedTable = Readonly<{ bytes: () => number; evict: () => void }>;

/** Keeps the loaded tables within a number of bytes, all together: the least recently used are let go. */
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

  /** The one that was just used stays, however large it is. */
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
