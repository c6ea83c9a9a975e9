import { partitionKey, type IndexEntry, type IndexPartition, type IndexRemoval } from '@palimpsest/knowledge/read-models';
import { laterOf, START, type ChunkId, type Position } from '@palimpsest/knowledge/values';
import type { WrittenIndex } from '../read-model-stores.ts';

type Put = Readonly<{ write: 'put'; chunkId: ChunkId }>;
type Held = Readonly<{ partition: IndexPartition; entries: Map<ChunkId, string> }> & { position: Position };

/** An index in memory that keeps of each entry only the digest that a complete index would report: about 150 bytes per chunk. */
export class DigestIndex<P extends Put> implements WrittenIndex<P> {
  readonly #digest: (put: P) => string;
  readonly #partitions = new Map<string, Held>();

  constructor(digest: (put: P) => string) {
    this.#digest = digest;
  }

  async position(partition: IndexPartition): Promise<Position> {
    return this.#partitions.get(partitionKey(partition))?.position ?? START;
  }

  async apply(partition: IndexPartition, writes: readonly (P | IndexRemoval)[], upTo: Position): Promise<void> {
    const held = this.#partitions.get(partitionKey(partition)) ?? { partition, entries: new Map<ChunkId, string>(), position: START };
    this.#partitions.set(partitionKey(partition), held);
    held.position = laterOf(held.position, upTo);
    for (const write of writes) {
      if (write.write === 'remove') held.entries.delete(write.chunkId);
      else held.entries.set(write.chunkId, this.#digest(write));
    }
  }

  async drop(partition: IndexPartition): Promise<void> {
    this.#partitions.delete(partitionKey(partition));
  }

  /** Whether anything was ever written to the partition, or removed from it. */
  has(partition: IndexPartition): boolean {
    return this.#partitions.has(partitionKey(partition));
  }

  entries(partition: IndexPartition): ReadonlyMap<ChunkId, IndexEntry['digest']> {
    return this.#partitions.get(partitionKey(partition))?.entries ?? new Map<ChunkId, string>();
  }
}
