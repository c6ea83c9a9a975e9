import { cipherIfAny, type FlushManifest, type FlushedPartition } from '@palimpsest/contracts';
import { Mutex } from '@palimpsest/foundation';
import { Corrupt, InvalidValue, Unavailable } from '@palimpsest/knowledge/errors';
import {
  NO_SPREAD,
  partitionKey,
  type IndexPartition,
  type IndexQuery,
  type IndexRemoval,
  type ScoreSpread,
  type VectorPut,
} from '@palimpsest/knowledge/read-models';
import { ScopeKeyDestroyed, type ScopeKeys } from '@palimpsest/knowledge/ports';
import type { IndexBytes } from '@palimpsest/knowledge/plans';
import type { Position } from '@palimpsest/knowledge/values';
import { MAX_FRAME_BYTES, type ResolvedLimits } from './limits.ts';
import { Replaced } from './frame-file.ts';
import { liveRows } from './live-rows.ts';
import { OpenOnce } from './originals.ts';
import { compactBytes } from './bytes-for.ts';
import { PartitionFile } from './partition-file.ts';
import { checkUnit, rowBatch, type RowBatch } from './row-batch.ts';
import { decodeRows, encodeRows } from './row-codec.ts';
import { cachedTable, type TableCache } from './table-cache.ts';
import { VectorTable, type TableChunk, type TableHits } from './vector-table.ts';

const NO_HITS: TableHits = { hits: [], scanned: 0, measured: 0 };

export type PartitionContext = Readonly<{
  root: string;
  limits: ResolvedLimits;
  cache: TableCache;
  manifest: FlushManifest;
  keys: Pick<ScopeKeys, 'cipher'>;
  /** `late`: found after opening, when callers may already rely on the content of the partition. */
  reportDamage: (partition: IndexPartition, reason: string, late: boolean) => void;
}>;

/**
 * One partition with its file, and with its table only while it is being searched. Changes to either run sequentially in the queue.
 * Searches do not wait for the queue; they use the current table.
 */
export class Partition {
  readonly name: IndexPartition;
  readonly #context: PartitionContext;
  readonly #file: PartitionFile;
  readonly #queue = new Mutex();
  readonly #cached = cachedTable(
    () => this.#table,
    () => this.#evict(),
  );
  #table: VectorTable | undefined;
  /** Found damaged after opening. All calls fail until the partition is dropped, because partial results would be wrong. */
  #lost = false;
  /** The file size at which the next check for compaction runs. */
  #compactionCheckAt = 0;

  constructor(name: IndexPartition, context: PartitionContext) {
    this.name = name;
    this.#context = context;
    this.#file = new PartitionFile(context.root, name, context.manifest, context.keys);
  }

  get exists(): boolean {
    return this.#file.exists;
  }

  get position(): Position {
    return this.#file.position;
  }

  /** Opens the file on disk. Reads it only when it changed since the flush that the manifest records. */
  open(flushed?: FlushedPartition): Promise<void> {
    return this.#queue.run(async () => {
      try {
        await this.#file.open(flushed);
        if (this.exists) this.#compactionCheckAt = this.#file.size + this.#context.limits.compactFromBytes;
      } catch (error) {
        if (error instanceof ScopeKeyDestroyed) return this.#remove();
        if (!(error instanceof Corrupt)) throw error;
        this.#forget();
        this.#context.reportDamage(this.name, error.message, false);
      }
    });
  }

  /** Reads the file if it was not read since opening. @throws Unavailable when it is damaged */
  check(): Promise<void> {
    return this.#queue.run(async () => {
      if (!(await this.#removeErased())) await this.#checkUnread();
    });
  }

  apply(writes: readonly (VectorPut | IndexRemoval)[], upTo: Position): Promise<void> {
    return this.#queue.run(async () => {
      if (await this.#removeErased()) return;
      this.#refuseLost();
      // A second call at the same position is accepted: additions come in the first call, removals in the second.
      if (upTo < this.position) return;
      await this.#checkUnread();
      await this.#append(rowBatch(writes, upTo, this.#file.dimensions));
      if (this.#file.size >= this.#compactionCheckAt) await this.#compactIfWasteful();
    });
  }

  /** @throws InvalidValue when the vector does not match the dimensions of the partition, or is not a unit vector */
  async search(vector: Float32Array, query: IndexQuery): Promise<TableHits> {
    const table = await this.#loaded();
    if (table === undefined) return NO_HITS;
    checkUnit(vector, table.dimensions, 'vector');
    const file = new OpenOnce(() => this.#file.reader(table.fileId));
    try {
      return await table.search(vector, query, file.reader);
    } catch (error) {
      if (error instanceof Replaced || error instanceof ScopeKeyDestroyed) return this.#searchAgain(table, vector, query);
      return await this.#reporting(error);
    } finally {
      await file.close();
    }
  }

  /** The file was replaced, for example compacted, or erased during the search. Its new table comes when that is complete. */
  async #searchAgain(replaced: VectorTable, vector: Float32Array, query: IndexQuery): Promise<TableHits> {
    await this.#queue.run(async () => {
      if (this.#table === replaced) this.#evict();
    });
    return this.search(vector, query);
  }

  /** @throws InvalidValue when the vector does not match the dimensions of the partition, or is not a unit vector */
  async spread(vector: Float32Array): Promise<ScoreSpread> {
    const table = await this.#loaded();
    if (table === undefined) return NO_SPREAD;
    checkUnit(vector, table.dimensions, 'vector');
    return table.spread(vector);
  }

  async count(): Promise<number> {
    return (await this.#loaded())?.chunks ?? 0;
  }

  /** Yields the current chunks, ordered by chunk id. */
  async *chunks(): AsyncGenerator<TableChunk> {
    await this.#loaded();
    // The file is opened before it can be replaced by one with other rows.
    const [table, file] = await this.#queue.run(async () => {
      const current = await this.#load();
      return [current, current && (await this.#file.reader(current.fileId))];
    });
    if (table === undefined || file === undefined) return;
    try {
      yield* table.chunksById(async () => file);
    } catch (error) {
      await this.#reporting(error);
    } finally {
      await file.close();
    }
  }

  /** Does not load the table. */
  get bytes(): IndexBytes {
    return { memory: this.#table?.bytes ?? 0, disk: this.exists ? this.#file.size : 0 };
  }

  /** Flushes the file and stages its new state in the manifest. */
  flush(): Promise<void> {
    return this.#queue.run(() => this.#file.flush());
  }

  /** Rewrites the file if it contains removed rows. */
  purge(): Promise<void> {
    return this.#queue.run(async () => {
      if (!this.exists || this.#lost || !this.#file.residue || (await this.#removeErased())) return;
      const wasLoaded = this.#table !== undefined;
      await this.#rewrite(await this.#load());
      if (!wasLoaded) this.#evict();
    });
  }

  drop(): Promise<void> {
    return this.#queue.run(() => this.#remove());
  }

  async #remove(): Promise<void> {
    await this.#file.remove();
    this.#forget();
  }

  async #isErased(): Promise<boolean> {
    return (await cipherIfAny(this.#context.keys, this.name.scope)) === undefined;
  }

  /** Nothing is left of a partition whose key was destroyed: its file and its table are removed when it is used next. */
  async #removeErased(): Promise<boolean> {
    if (!(await this.#isErased())) return false;
    if (this.exists) await this.#remove();
    return true;
  }

  /** Takes the content of the same partition of another index, which is then empty. Its table stays loaded. */
  adopt(from: Partition): Promise<void> {
    return this.#queue.run(() => from.#queue.run(() => this.#adopt(from)));
  }

  /** Takes a copy of the same partition of another index, without its removed rows. Writes there wait until the file is copied. */
  copy(from: Partition): Promise<void> {
    return this.#queue.run(async () => {
      await this.#remove();
      if (await this.#removeErased()) return;
      const copied = await from.#queue.run(() => this.#copyFile(from));
      this.#compactionCheckAt = this.#file.size + this.#context.limits.compactFromBytes;
      this.#table = await copied?.table();
      if (this.#file.residue) await this.#rewrite(this.#table ?? (await this.#load()));
      if (this.#table !== undefined) this.#context.cache.use(this.#cached);
    });
  }

  /** Returns how its table is copied, if it is loaded. */
  async #copyFile(from: Partition): Promise<Readonly<{ table: () => Promise<VectorTable> }> | undefined> {
    from.#refuseLost();
    await from.#checkUnread();
    if (!from.exists) return undefined;
    await this.#file.copyOf(from.#file);
    return from.#table?.copy();
  }

  async #adopt(from: Partition): Promise<void> {
    from.#refuseLost();
    await from.#checkUnread();
    if (from.exists) await this.#file.replaceBy(from.#file);
    else await this.#file.remove();
    const [table, checkAt, exists] = [from.#table, from.#compactionCheckAt, this.exists];
    from.#forget();
    this.#evict();
    this.#lost = false;
    this.#compactionCheckAt = exists ? checkAt : this.#context.limits.compactFromBytes;
    this.#table = table;
    if (table !== undefined) this.#context.cache.use(this.#cached);
  }

  async #loaded(): Promise<VectorTable | undefined> {
    if (await this.#isErased()) {
      await this.#queue.run(() => this.#removeErased());
      return undefined;
    }
    const table = this.#table ?? (await this.#queue.run(() => this.#load()));
    if (table !== undefined && table === this.#table) this.#context.cache.use(this.#cached);
    return table;
  }

  async #load(): Promise<VectorTable | undefined> {
    if (this.#table === undefined) await this.#reload();
    return this.#table;
  }

  /** The previous table stays in use until the new one is complete. */
  async #reload(): Promise<void> {
    this.#refuseLost();
    if (this.#file.dimensions === 0) return this.#checkUnread();
    await this.#handlingDamage(async () => {
      const { limits, cache } = this.#context;
      let table: VectorTable | undefined;
      const loading = cachedTable(
        () => table,
        () => {},
      );
      try {
        await this.#file.visit(({ parts, at }) => {
          table ??= new VectorTable(this.#file.dimensions, this.#file.id ?? '', limits);
          table.apply(decodeRows(parts), at[1] ?? 0);
          cache.use(loading);
        });
      } finally {
        cache.forget(loading);
      }
      this.#table = table;
    });
  }

  async #checkUnread(): Promise<void> {
    if (this.#file.unread) await this.#handlingDamage(() => this.#file.readThrough());
  }

  async #append(batch: RowBatch): Promise<void> {
    const parts = encodeRows(batch);
    const bytes = parts.reduce((sum, part) => sum + part.length, 0);
    if (bytes > MAX_FRAME_BYTES) throw new InvalidValue('writes', `at most ${MAX_FRAME_BYTES} bytes in one call`, bytes);
    const at = await this.#file.append(parts, batch);
    this.#applyToTable(batch, at);
  }

  #applyToTable(batch: RowBatch, at: number): void {
    if (this.#table === undefined) return;
    try {
      const before = this.#table.rows;
      this.#table.apply(batch, at);
      if (this.#table.rows < before + batch.setOf.length) this.#file.markResidue();
      this.#context.cache.use(this.#cached);
    } catch {
      // Out of memory during the update. The frame is written, so the next search reads the file, and fails if it still does not fit.
      this.#evict();
    }
  }

  /** Writes the live rows to a new base when the file is more than one and a half times as large as needed. */
  async #compactIfWasteful(): Promise<void> {
    const { compactFromBytes } = this.#context.limits;
    const table = await this.#load();
    const needed = compactBytes(table?.rows ?? 0, this.#file.dimensions);
    if (this.#file.size - needed > compactFromBytes + needed / 2) {
      await this.#rewrite(table);
    }
    if (this.#table !== undefined) this.#context.cache.use(this.#cached);
    this.#compactionCheckAt = this.#file.size + compactFromBytes + needed / 2;
  }

  async #rewrite(table: VectorTable | undefined): Promise<void> {
    const [of, isAlive] = [{ upTo: this.position, dimensions: this.#file.dimensions }, (row: number) => table?.isAlive(row) ?? false];
    await this.#handlingDamage(() => this.#file.rewrite(liveRows(this.#file.batches(), isAlive, of)));
    // Reloaded instead of changed in place, so that searches in progress keep their table.
    await this.#reload();
  }

  /** @throws Unavailable when the work finds damage */
  async #handlingDamage(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#loseIfDamaged(error);
    }
  }

  /** For what happened outside of the queue. @throws Unavailable for damage; else `error` */
  #reporting(error: unknown): Promise<never> {
    return this.#queue.run(async () => this.#loseIfDamaged(error));
  }

  #loseIfDamaged(error: unknown): never {
    if (!(error instanceof Corrupt)) throw error;
    const wasLost = this.#lost;
    this.#forget();
    this.#lost = true;
    if (!wasLost) this.#context.reportDamage(this.name, error.message, true);
    throw this.#lostError();
  }

  #refuseLost(): void {
    if (this.#lost) throw this.#lostError();
  }

  #lostError(): Unavailable {
    return new Unavailable(`the vector index of ${partitionKey(this.name)} is damaged and is being rebuilt from the log`);
  }

  #forget(): void {
    this.#evict();
    this.#file.forget();
    this.#lost = false;
    this.#compactionCheckAt = this.#context.limits.compactFromBytes;
  }

  #evict(): void {
    this.#context.cache.forget(this.#cached);
    this.#table = undefined;
  }
}
