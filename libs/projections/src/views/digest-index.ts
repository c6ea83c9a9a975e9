import { partitionKey, type IndexEntry, type IndexPartition, type IndexRemoval } from '@palimpsest/knowledge/read-models';
import { laterOf, START, type ChunkId, type Position } from '@palimpsest/knowledge/values';
import type { WrittenIndex } from '../read-model-stores.ts';
import { MultisetDigest } from '../verification/multiset-digest.ts';

type Put = Readonly<{ write: 'put'; chunkId: ChunkId }>;
type Held = Readonly<{ entries: Map<ChunkId, string>; sum: MultisetDigest }> & { position: Position };

/** An index in memory that keeps of each entry only the digest that a complete index would report: about 150 bytes per chunk. */
export class DigestIndex<P extends Put> implements WrittenIndex<P> {
  readonly #name: string;
  readonly #digest: (put: P) => string;
  readonly #partitions = new Map<string, Held>();
  #size = 0;

  /** `name`: of the index, so that entries of two indexes are different elements of one digest. */
  constructor(name: string, digest: (put: P) => string) {
    this.#name = name;
    this.#digest = digest;
  }

  /** Number of entries of all partitions. */
  get size(): number {
    return this.#size;
  }

  async position(partition: IndexPartition): Promise<Position> {
    return this.#partitions.get(partitionKey(partition))?.position ?? START;
  }

  async apply(partition: IndexPartition, writes: readonly (P | IndexRemoval)[], upTo: Position): Promise<void> {
    const held = this.#partitions.get(partitionKey(partition)) ?? {
      entries: new Map<ChunkId, string>(),
      sum: new MultisetDigest(),
      position: START,
    };
    this.#partitions.set(partitionKey(partition), held);
    held.position = laterOf(held.position, upTo);
    for (const write of writes) {
      this.#remove(held, write.chunkId);
      if (write.write === 'put') this.#add(held, write.chunkId, this.#digest(write));
    }
  }

  async drop(partition: IndexPartition): Promise<void> {
    this.#size -= this.entries(partition).size;
    this.#partitions.delete(partitionKey(partition));
  }

  /** Whether anything was ever written to the partition, or removed from it. */
  has(partition: IndexPartition): boolean {
    return this.#partitions.has(partitionKey(partition));
  }

  entries(partition: IndexPartition): ReadonlyMap<ChunkId, IndexEntry['digest']> {
    return this.#partitions.get(partitionKey(partition))?.entries ?? new Map<ChunkId, string>();
  }

  /** Of all entries of the partition, in any order. */
  sum(partition: IndexPartition): MultisetDigest {
    return this.#partitions.get(partitionKey(partition))?.sum ?? new MultisetDigest();
  }

  #add({ entries, sum }: Held, chunkId: ChunkId, digest: string): void {
    entries.set(chunkId, digest);
    sum.add(this.#elementOf(chunkId, digest));
    this.#size++;
  }

  #remove({ entries, sum }: Held, chunkId: ChunkId): void {
    const digest = entries.get(chunkId);
    if (digest === undefined) return;
    entries.delete(chunkId);
    sum.remove(this.#elementOf(chunkId, digest));
    this.#size--;
  }

  #elementOf(chunkId: ChunkId, digest: string): string {
    return `${this.#name} ${chunkId} ${digest}`;
  }
}
