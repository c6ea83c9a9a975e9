import type { IndexPartition } from '@palimpsest/knowledge/read-models';
import type { ReadModelStores } from './read-model-stores.ts';

/** A partition of one of the indexes that was found damaged after opening. */
export type LostPartition = Readonly<{ index: 'vectors' | 'lexical'; partition: IndexPartition }>;

/** Damaged stores that are not dropped yet: partitions of the indexes, or the whole catalog. */
export class LostPartitions {
  readonly #lost = new Set<LostPartition>();
  #catalog = false;

  get some(): boolean {
    return this.#lost.size > 0 || this.#catalog;
  }

  add(lost: LostPartition): void {
    this.#lost.add(lost);
  }

  addCatalog(): void {
    this.#catalog = true;
  }

  /** Nothing is lost any more, because other stores took the place of the damaged ones. */
  clear(): void {
    this.#lost.clear();
    this.#catalog = false;
  }

  /** Partitions that cannot be dropped stay in the list. */
  async drop(stores: ReadModelStores): Promise<void> {
    for (const lost of [...this.#lost]) {
      await stores[lost.index]?.drop(lost.partition);
      this.#lost.delete(lost);
    }
    if (!this.#catalog) return;
    await stores.catalog.reset();
    this.#catalog = false;
  }
}
