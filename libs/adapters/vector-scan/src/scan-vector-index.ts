import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import {
  InvalidValue, NO_SPREAD, partitionKey, START, Unavailable,
  type IndexEntry, type IndexPartition, type IndexQuery, type IndexRemoval, type Position, type ReadablePartition, type ScoreSpread,
  type VectorHit, type VectorIndex, type VectorPut,
} from '@palimpsest/knowledge';
import { storage } from './durable-files.ts';
import { MAX_HITS, resolveLimits, type ScanLimits } from './limits.ts';
import { Partition, type PartitionContext } from './partition.ts';
import { listPartitions } from './partition-folder.ts';
import { TableCache } from './table-cache.ts';
import { GENTLY, oneByOne, SyncedMark, vectorDigest, type CheckPace, type SyncedPartition } from '@palimpsest/contracts';

/**
 * Since opening; `measured / scanned` is the share of rows whose codes alone did not rule them out. `loadedBytes`: memory that
 * the loaded partitions take up now.
 */
export type ScanStatistics = Readonly<{ searches: number; scanned: number; measured: number; loadedBytes: number }>;

export type ScanVectorIndex = VectorIndex & Readonly<{
  statistics(): ScanStatistics;
  /** Reads through what was taken unread at opening, one partition at a time. Damage goes to `onDamage`. */
  check(pace?: CheckPace): Promise<void>;
}>;

export type ScanVectorIndexOptions = ScanLimits & Readonly<{
  root: string;
  /**
   * Told of damage that was found after opening. Until that partition is dropped, it answers nothing and takes nothing
   * (Unavailable): whoever can make it again from the log has to. Must not throw.
   */
  onDamage?: (partition: IndexPartition, reason: string) => void;
}>;

/** With the version of the files: a mark is not taken for files of another. */
const MARK_FORMAT = 'vectors 2';

/**
 * Opens the index below `root`. Files that are as they were flushed are taken as they are, and read when they are first
 * used; everything else is read through: what is damaged is known when this returns. One process at a time.
 * @throws InvalidValue for a limit out of range; Unavailable when the disk refuses
 */
export const openScanVectorIndex = async ({ root, onDamage, ...limits }: ScanVectorIndexOptions): Promise<ScanVectorIndex> => {
  const resolved = resolveLimits(limits);
  await storage(`creating ${root}`, () => mkdir(root, { recursive: true }));
  const damaged: { partition: IndexPartition; reason: string }[] = [];
  const context: PartitionContext = {
    root,
    limits: resolved,
    cache: new TableCache(resolved.cacheBytes),
    mark: new SyncedMark(join(root, 'vectors.synced'), MARK_FORMAT),
    reportDamage: (partition, reason, late) => {
      damaged.push({ partition, reason });
      if (late) onDamage?.(partition, reason);
    },
  };
  const noted = new Map((await storage(`reading the mark in ${root}`, () => context.mark.open())).map((one) => [partitionKey(one.partition), one]));
  const index = new OpenScanVectorIndex(context, damaged);
  for (const name of await listPartitions(root)) await index.open(name, noted.get(partitionKey(name)));
  return index;
};

class OpenScanVectorIndex implements ScanVectorIndex {
  readonly #context: PartitionContext;
  readonly #damaged: readonly Readonly<{ partition: IndexPartition; reason: string }>[];
  readonly #partitions = new Map<string, Partition>();
  #counted = { searches: 0, scanned: 0, measured: 0 };
  #closed = false;

  constructor(context: PartitionContext, damaged: readonly Readonly<{ partition: IndexPartition; reason: string }>[]) {
    this.#context = context;
    this.#damaged = damaged;
  }

  async open(name: IndexPartition, noted: SyncedPartition | undefined): Promise<void> {
    await this.#create(name).open(noted);
  }

  async apply(name: IndexPartition, writes: readonly (VectorPut | IndexRemoval)[], upTo: Position): Promise<void> {
    await (this.#find(name) ?? this.#create(name)).apply(writes, upTo);
  }

  async search(name: ReadablePartition, vector: Float32Array, { k, filter }: IndexQuery): Promise<readonly VectorHit[]> {
    if (!Number.isInteger(k) || k < 1 || k > MAX_HITS) throw new InvalidValue('k', `a whole number from 1 to ${MAX_HITS}`, k);
    const result = await this.#find(name)?.search(vector, k, filter);
    if (result === undefined) return [];
    const { searches, scanned, measured } = this.#counted;
    this.#counted = { searches: searches + 1, scanned: scanned + result.scanned, measured: measured + result.measured };
    return result.hits;
  }

  async spread(name: ReadablePartition, vector: Float32Array): Promise<ScoreSpread> {
    return (await this.#find(name)?.spread(vector)) ?? NO_SPREAD;
  }

  statistics(): ScanStatistics {
    return { ...this.#counted, loadedBytes: this.#context.cache.bytes };
  }

  async position(name: IndexPartition): Promise<Position> {
    return this.#find(name)?.position ?? START;
  }

  async partitions(): Promise<readonly IndexPartition[]> {
    this.#checkOpen();
    return [...this.#partitions.values()].filter(({ exists }) => exists).map(({ name }) => name);
  }

  async count(name: IndexPartition): Promise<number> {
    return (await this.#find(name)?.table())?.chunks ?? 0;
  }

  async *entries(name: IndexPartition): AsyncGenerator<IndexEntry> {
    const table = await this.#find(name)?.table();
    if (table === undefined) return;
    let i = 0;
    for (const put of table.chunksById()) {
      if (++i % 256 === 0) await pause();
      yield { chunkId: put.chunkId, digest: vectorDigest(put) };
    }
  }

  damaged(): readonly Readonly<{ partition: IndexPartition; reason: string }>[] {
    return [...this.#damaged];
  }

  async drop(name: IndexPartition): Promise<void> {
    await (this.#find(name) ?? this.#create(name)).drop();
  }

  async dropAll(): Promise<void> {
    this.#checkOpen();
    const { mark, root } = this.#context;
    // At once what each drop would do by itself.
    await storage(`removing the mark in ${root}`, () => mark.clear());
    for (const partition of this.#partitions.values()) await partition.drop();
  }

  async flush(): Promise<void> {
    this.#checkOpen();
    for (const partition of this.#partitions.values()) await partition.flush();
    const { mark, root } = this.#context;
    await storage(`writing the mark in ${root}`, () => mark.commit());
  }

  async purge(): Promise<void> {
    for (const partition of [...this.#partitions.values()]) {
      if (this.#closed) return;
      await partition.purge();
    }
  }

  /** Flushes as well: an orderly end loses nothing. */
  async close(): Promise<void> {
    if (this.#closed) return;
    await this.flush();
    this.#closed = true;
    this.#partitions.clear();
  }

  async check(pace: CheckPace = GENTLY): Promise<void> {
    await oneByOne(this.#partitions.values(), (partition) => partition.check(), pace, () => this.#closed);
  }

  #find(name: IndexPartition): Partition | undefined {
    this.#checkOpen();
    return this.#partitions.get(partitionKey(name));
  }

  #create({ scope: { tenant, scope }, generation }: IndexPartition): Partition {
    const partition = new Partition({ scope: { tenant, scope }, generation }, this.#context);
    this.#partitions.set(partitionKey(partition.name), partition);
    return partition;
  }

  #checkOpen(): void {
    if (this.#closed) throw new Unavailable('the vector index is closed');
  }
}
