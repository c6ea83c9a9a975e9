import { partitionKey, type IndexPartition, type IndexRemoval } from '@palimpsest/knowledge/read-models';
import { START, type ChunkId, type Position } from '@palimpsest/knowledge/values';
import type { WrittenIndex } from '../read-model-stores.ts';

type Put = Readonly<{ write: 'put'; chunkId: ChunkId }>;

/** An index in memory that only keeps what was put, to be written elsewhere. */
export class KeptPuts<P extends Put> implements WrittenIndex<P> {
  readonly #partitions = new Map<string, Map<ChunkId, P>>();

  async position(): Promise<Position> {
    return START;
  }

  async apply(partition: IndexPartition, writes: readonly (P | IndexRemoval)[]): Promise<void> {
    const key = partitionKey(partition);
    const puts = this.#partitions.get(key) ?? new Map<ChunkId, P>();
    this.#partitions.set(key, puts);
    for (const write of writes) {
      if (write.write === 'put') puts.set(write.chunkId, write);
      else puts.delete(write.chunkId);
    }
  }

  async drop(partition: IndexPartition): Promise<void> {
    this.#partitions.delete(partitionKey(partition));
  }

  /** The write that gives another index what this one has of the chunk. */
  writeOf(partition: IndexPartition, chunkId: ChunkId): P | IndexRemoval {
    return this.#partitions.get(partitionKey(partition))?.get(chunkId) ?? { write: 'remove', chunkId };
  }
}
