/** `originalBytes`: how many of its bytes `evictOriginals` frees; what is left can still be searched. */
export type CachedTable = Readonly<{
  bytes: () => number;
  originalBytes: () => number;
  evictOriginals: () => void;
  evict: () => void;
}>;

type Table = Readonly<{ bytes: number; originalBytes: number; evictOriginals(): void }>;

/** `table`: the current one, if any. */
export const cachedTable = (table: () => Table | undefined, evict: () => void): CachedTable => ({
  bytes: () => table()?.bytes ?? 0,
  originalBytes: () => table()?.originalBytes ?? 0,
  evictOriginals: () => table()?.evictOriginals(),
  evict,
});

/**
 * Limits the total size of the loaded tables. First the float32 values of the tables that were least recently used go, those of the given
 * table last, and then whole tables.
 */
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

  /** Marks a table as just used, and evicts what exceeds the limit. The given table stays, regardless of its size. */
  use(table: CachedTable): void {
    this.#tables.delete(table);
    this.#tables.add(table);
    let { bytes } = this;
    for (const held of this.#tables) {
      if (bytes <= this.#limit) return;
      bytes -= held.originalBytes();
      held.evictOriginals();
    }
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
