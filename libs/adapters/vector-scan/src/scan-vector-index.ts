import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import { InvalidValue, Unavailable } from '@palimpsest/knowledge/errors';
import {
  NO_SPREAD,
  partitionKey,
  type IndexEntry,
  type IndexPartition,
  type IndexQuery,
  type IndexRemoval,
  type IndexStore,
  type ReadablePartition,
  type ScoreSpread,
  type VectorHit,
  type VectorIndex,
  type VectorPut,
} from '@palimpsest/knowledge/read-models';
import { MAX_INDEX_RESULTS } from '@palimpsest/knowledge/texts';
import type { ScopeKeys } from '@palimpsest/knowledge/ports';
import type { IndexBytes } from '@palimpsest/knowledge/plans';
import { START, type Position } from '@palimpsest/knowledge/values';
import { bytesFor } from './bytes-for.ts';
import { resolveLimits, type ScanLimits } from './limits.ts';
import { Partition, type PartitionContext } from './partition.ts';
import { storage } from './storage.ts';
import { TableCache } from './table-cache.ts';
import { FlushManifest, openPartitionsIn, vectorDigest, type FlushedPartition } from '@palimpsest/contracts';
import { BACKGROUND, eachInTurn, forEachSequentially, type Pace } from '@palimpsest/foundation';

/**
 * Counters since opening. `measured / scanned` is the share of rows that were not ruled out by their codes. `loadedBytes` is the memory
 * that the loaded partitions currently use.
 */
export type ScanStatistics = Readonly<{ searches: number; scanned: number; measured: number; loadedBytes: number }>;

export type ScanVectorIndex = VectorIndex &
  Readonly<{
    statistics(): ScanStatistics;
    /** Reads the partitions that were not read at opening, one at a time. Reports damage to `onDamage`. */
    check(pace?: Pace): Promise<void>;
  }>;

export type ScanVectorIndexOptions = ScanLimits &
  Readonly<{
    root: string;
    /** Each file is sealed under the key of its scope. */
    keys: Pick<ScopeKeys, 'cipher'>;
    /**
     * Called when damage is found after opening. All calls on the partition fail with Unavailable until it is dropped; the callback is
     * expected to start a rebuild from the log. Must not throw.
     */
    onDamage?: (partition: IndexPartition, reason: string) => void;
  }>;

/** Includes the version of the file format, so that the manifest is ignored for files of another version. */
const MANIFEST_FORMAT = 'vectors 4';

/**
 * Opens the index below `root`. Files that have not changed since they were flushed are read on first use. All others are read now, so
 * that damage is known when this returns. Only one process at a time may open the index.
 * @throws InvalidValue for a limit out of range; Unavailable on disk errors
 */
export const openScanVectorIndex = async ({ root, keys, onDamage, ...limits }: ScanVectorIndexOptions): Promise<ScanVectorIndex> => {
  const resolved = resolveLimits(limits);
  await storage(`creating ${root}`, () => mkdir(root, { recursive: true }));
  const damaged: { partition: IndexPartition; reason: string }[] = [];
  const context: PartitionContext = {
    root,
    keys,
    limits: resolved,
    cache: new TableCache(resolved.cacheBytes),
    manifest: new FlushManifest(join(root, 'vectors.synced'), MANIFEST_FORMAT),
    reportDamage: (partition, reason, late) => {
      damaged.push({ partition, reason });
      if (late) onDamage?.(partition, reason);
    },
  };
  const flushed = new Map(
    (await storage(`reading the flush manifest in ${root}`, () => context.manifest.open())).map((one) => [
      partitionKey(one.partition),
      one,
    ]),
  );
  const index = new OpenScanVectorIndex(context, damaged);
  for (const name of await storage(`listing ${root}`, () => openPartitionsIn(root, 'vectors')))
    await index.open(name, flushed.get(partitionKey(name)));
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

  async open(name: IndexPartition, flushed: FlushedPartition | undefined): Promise<void> {
    await this.#create(name).open(flushed);
  }

  async apply(name: IndexPartition, writes: readonly (VectorPut | IndexRemoval)[], upTo: Position): Promise<void> {
    await (this.#find(name) ?? this.#create(name)).apply(writes, upTo);
  }

  async search(name: ReadablePartition, vector: Float32Array, query: IndexQuery): Promise<readonly VectorHit[]> {
    const { k } = query;
    if (!Number.isInteger(k) || k < 1 || k > MAX_INDEX_RESULTS)
      throw new InvalidValue('k', `a whole number from 1 to ${MAX_INDEX_RESULTS}`, k);
    const result = await this.#find(name)?.search(vector, query);
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
    return (await this.#find(name)?.count()) ?? 0;
  }

  async bytes(name: IndexPartition): Promise<IndexBytes> {
    return this.#find(name)?.bytes ?? { memory: 0, disk: 0 };
  }

  bytesFor(vectors: number, dimensions: number): IndexBytes {
    return bytesFor(vectors, dimensions);
  }

  async *entries(name: IndexPartition): AsyncGenerator<IndexEntry> {
    let i = 0;
    for await (const put of this.#find(name)?.chunks() ?? []) {
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

  async adopt(name: IndexPartition, from: IndexStore): Promise<void> {
    if (!(from instanceof OpenScanVectorIndex)) throw new TypeError('the other index is no scan');
    const partition = this.#find(name) ?? this.#create(name);
    await partition.adopt(from.#find(name) ?? from.#create(name));
  }

  async copy(name: IndexPartition, from: IndexStore): Promise<void> {
    if (!(from instanceof OpenScanVectorIndex)) throw new TypeError('the other index is no scan');
    const original = from.#find(name);
    if (original === undefined) return this.drop(name);
    await (this.#find(name) ?? this.#create(name)).copy(original);
  }

  async dropAll(): Promise<void> {
    this.#checkOpen();
    const { manifest, root } = this.#context;
    // Clears the manifest once instead of once per drop.
    await storage(`clearing the flush manifest in ${root}`, () => manifest.clear());
    for (const partition of this.#partitions.values()) await partition.drop();
  }

  async flush(): Promise<void> {
    this.#checkOpen();
    for (const partition of this.#partitions.values()) await partition.flush();
    const { manifest, root } = this.#context;
    await storage(`writing the flush manifest in ${root}`, () => manifest.commit());
  }

  async purge(): Promise<void> {
    await eachInTurn(
      [...this.#partitions.values()],
      (partition) => partition.purge(),
      () => this.#closed,
    );
  }

  /** Also flushes, so that a regular shutdown loses no writes. */
  async close(): Promise<void> {
    if (this.#closed) return;
    await this.flush();
    this.#closed = true;
    this.#partitions.clear();
  }

  async check(pace: Pace = BACKGROUND): Promise<void> {
    await forEachSequentially(
      this.#partitions.values(),
      (partition) => partition.check(),
      pace,
      () => this.#closed,
    );
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
