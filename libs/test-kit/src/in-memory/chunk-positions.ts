import { partitionKey, type IndexPartition, type Ordered } from '@palimpsest/knowledge/read-models';
import type { ChunkId, Position } from '@palimpsest/knowledge/values';

/** The position at which each chunk of an index was put; what older writes may still change. */
export class ChunkPositions {
  readonly #at = new Map<string, Position>();

  /** The puts that are not older than what is stored. */
  put<Put extends Readonly<{ chunkId: ChunkId }>>(partition: IndexPartition, puts: readonly Ordered<{ put: Put }>[]): readonly Put[] {
    const taken = puts.filter(({ put, at }) => {
      const key = keyOf(partition, put.chunkId);
      const held = this.#at.get(key);
      if (held !== undefined && held > at) return false;
      this.#at.set(key, at);
      return true;
    });
    return taken.map(({ put }) => put);
  }

  /** The chunks that were put at or before the position of their removal. */
  remove(partition: IndexPartition, removals: readonly Ordered<{ chunkId: ChunkId }>[]): readonly ChunkId[] {
    const gone = removals.filter(({ chunkId, at }) => {
      const key = keyOf(partition, chunkId);
      const held = this.#at.get(key);
      return held !== undefined && held <= at && this.#at.delete(key);
    });
    return gone.map(({ chunkId }) => chunkId);
  }

  drop(partition: IndexPartition): void {
    for (const key of [...this.#at.keys()]) if (key.startsWith(`${partitionKey(partition)}/`)) this.#at.delete(key);
  }

  clear(): void {
    this.#at.clear();
  }
}

const keyOf = (partition: IndexPartition, chunkId: ChunkId): string => `${partitionKey(partition)}/${chunkId}`;
