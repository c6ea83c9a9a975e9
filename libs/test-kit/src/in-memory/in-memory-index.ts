import { createHash } from 'node:crypto';
import { InvalidValue, Unavailable } from '@palimpsest/knowledge/errors';
import { partitionKey } from '@palimpsest/knowledge/read-models';
import { START } from '@palimpsest/knowledge/values';
import type { Attributes } from '@palimpsest/knowledge/access';
import type { IndexEntry, IndexPartition, IndexRemoval, IndexStore } from '@palimpsest/knowledge/read-models';
import type { ChunkId, Position } from '@palimpsest/knowledge/values';

type AnyPut = Readonly<{ write: 'put'; chunkId: ChunkId; attributes: Attributes }>;
type Held<Put> = Readonly<{ partition: IndexPartition; position: Position; puts: ReadonlyMap<ChunkId, Put> }>;
export type HeldPartitions<Put> = ReadonlyMap<string, Held<Put>>;

/** Base of both in-memory indexes: partitions as maps, which each call replaces as a whole. */
export abstract class InMemoryIndex<Put extends AnyPut> implements IndexStore {
  #partitions: Map<string, Held<Put>>;
  /** The data that survives a crash: everything as of the last flush. */
  #durable: Map<string, Held<Put>>;
  #closed = false;

  constructor(stored: HeldPartitions<Put> = new Map()) {
    this.#partitions = new Map(stored);
    this.#durable = new Map(stored);
  }

  protected abstract digest(put: Put): string;
  /** @throws InvalidValue when one of `puts` does not fit the existing entries */
  protected abstract check(puts: readonly Put[], partition: IndexPartition): void;

  /** The data after a crash of the machine, or of the process only. */
  left(after: 'power cut' | 'kill'): HeldPartitions<Put> {
    return new Map(after === 'kill' ? this.#partitions : this.#durable);
  }

  async apply(partition: IndexPartition, writes: readonly (Put | IndexRemoval)[], upTo: Position): Promise<void> {
    this.checkOpen();
    const key = partitionKey(partition);
    const held = this.#partitions.get(key);
    if (upTo < (held?.position ?? START)) return;
    this.check(
      writes.filter((write): write is Put => write.write === 'put'),
      partition,
    );
    const puts = new Map(held?.puts);
    for (const write of writes) {
      if (write.write === 'put') puts.set(write.chunkId, write);
      else puts.delete(write.chunkId);
    }
    this.#partitions.set(key, { partition, position: upTo, puts });
  }

  async position(partition: IndexPartition): Promise<Position> {
    return this.#partitions.get(partitionKey(partition))?.position ?? START;
  }

  async partitions(): Promise<readonly IndexPartition[]> {
    return [...this.#partitions.values()].map(({ partition }) => partition);
  }

  async count(partition: IndexPartition): Promise<number> {
    return this.puts(partition).length;
  }

  async *entries(partition: IndexPartition): AsyncIterable<IndexEntry> {
    yield* this.puts(partition).map((put) => ({ chunkId: put.chunkId, digest: this.digest(put) }));
  }

  damaged(): readonly Readonly<{ partition: IndexPartition; reason: string }>[] {
    return [];
  }

  async drop(partition: IndexPartition): Promise<void> {
    this.checkOpen();
    this.#partitions.delete(partitionKey(partition));
    this.#durable.delete(partitionKey(partition));
  }

  async dropAll(): Promise<void> {
    this.checkOpen();
    this.#partitions.clear();
    this.#durable.clear();
  }

  async adopt(partition: IndexPartition, from: IndexStore): Promise<void> {
    this.checkOpen();
    if (!(from instanceof InMemoryIndex)) throw new TypeError('the other index is not in memory');
    const key = partitionKey(partition);
    const held = (from as InMemoryIndex<Put>).#partitions.get(key);
    await from.drop(partition);
    if (held === undefined) return this.drop(partition);
    this.#partitions.set(key, held);
    this.#durable.set(key, held);
  }

  async copy(partition: IndexPartition, from: IndexStore): Promise<void> {
    this.checkOpen();
    if (!(from instanceof InMemoryIndex)) throw new TypeError('the other index is not in memory');
    const key = partitionKey(partition);
    const held = (from as InMemoryIndex<Put>).#partitions.get(key);
    if (held === undefined) return this.drop(partition);
    this.#partitions.set(key, held);
  }

  async flush(): Promise<void> {
    this.checkOpen();
    this.#durable = new Map(this.#partitions);
  }

  async close(): Promise<void> {
    if (!this.#closed) await this.flush();
    this.#closed = true;
  }

  /** Sorted by chunk id. */
  puts(partition: IndexPartition): readonly Put[] {
    return [...(this.#partitions.get(partitionKey(partition))?.puts.values() ?? [])].sort((a, b) => (a.chunkId < b.chunkId ? -1 : 1));
  }

  protected checkOpen(): void {
    if (this.#closed) throw new Unavailable('the index is closed');
  }
}

export const checkK = (k: number): void => {
  if (!Number.isInteger(k) || k < 1 || k > 1000) throw new InvalidValue('k', 'a whole number from 1 to 1000', k);
};

/** SHA-256 over any JSON value, in hexadecimal; independent of the order of the attributes. */
export const digestOf = (value: unknown, attributes: Attributes): string =>
  createHash('sha256')
    .update(JSON.stringify([value, Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1))]))
    .digest('hex');
