import type { IndexPartition } from '@palimpsest/knowledge';
import type { ReadModelStores } from './read-model-projector.ts';

/** A partition of one of the indexes that was found damaged after opening. */
export type LostPartition = Readonly<{ index: 'vectors' | 'lexical'; partition: IndexPartition }>;

/** Those that are damaged, and not yet dropped. */
export class LostPartitions {
  readonly #lost = new Set<LostPartition>();

  get some(): boolean {
    return this.#lost.size > 0;
  }

  add(lost: LostPartition): void {
    this.#lost.add(lost);
  }

  /** What cannot be dropped stays lost. */
  async drop(stores: ReadModelStores): Promise<void> {
    for (const lost of [...this.#lost]) {
      await stores[lost.index]?.drop(lost.partition);
      this.#lost.delete(lost);
    }
  }
}
