import type { IndexPartition, LexicalPut, Ordered, OrderedWrites } from '@palimpsest/knowledge/read-models';
import { START, type ChunkId } from '@palimpsest/knowledge/values';
import { ChunkPositions } from './chunk-positions.ts';
import { InMemoryLexicalIndex } from './in-memory-lexical-index.ts';

/** Words that several processes write; searches read them from it, too. */
export class InMemorySharedWords extends InMemoryLexicalIndex implements OrderedWrites<LexicalPut> {
  readonly #at = new ChunkPositions();

  async put(partition: IndexPartition, puts: readonly Ordered<{ put: LexicalPut }>[]): Promise<void> {
    await this.apply(partition, this.#at.put(partition, puts), START);
  }

  async remove(partition: IndexPartition, removals: readonly Ordered<{ chunkId: ChunkId }>[]): Promise<void> {
    const gone = this.#at.remove(partition, removals);
    await this.apply(
      partition,
      gone.map((chunkId) => ({ write: 'remove', chunkId })),
      START,
    );
  }

  override async drop(partition: IndexPartition): Promise<void> {
    await super.drop(partition);
    this.#at.drop(partition);
  }

  override async dropAll(): Promise<void> {
    await super.dropAll();
    this.#at.clear();
  }
}
