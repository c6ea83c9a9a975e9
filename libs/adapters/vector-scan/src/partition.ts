import type { SyncedMark, SyncedPartition } from '@palimpsest/contracts';
import { Corrupt, InvalidValue, NO_SPREAD, partitionKey, Unavailable, type Filter, type IndexPartition, type IndexRemoval, type Position, type ScoreSpread, type VectorPut } from '@palimpsest/knowledge';
import { MAX_FRAME_BYTES, type ResolvedLimits } from './limits.ts';
import { PartitionFile } from './partition-file.ts';
import { checkUnit, rowBatch } from './row-batch.ts';
import { decodeRows, encodeRows } from './row-codec.ts';
import { SerialQueue } from './serial-queue.ts';
import type { TableCache } from './table-cache.ts';
import { VectorTable, type TableHits } from './vector-table.ts';

const NO_HITS: TableHits = { hits: [], scanned: 0, measured: 0 };

export type PartitionContext = Readonly<{
  root: string;
  limits: ResolvedLimits;
  cache: TableCache;
  mark: SyncedMark;
  /** `late`: after opening, when somebody may rely on what the partition holds. */
  reportDamage: (partition: IndexPartition, reason: string, late: boolean) => void;
}>;

/**
 * One partition: its file always, its table only while it is being searched. Whatever changes either runs in the queue, one
 * after the other; searches do not wait for it, they take the table as it is.
 */
export class Partition {
  readonly name: IndexPartition;
  readonly #context: PartitionContext;
  readonly #file: PartitionFile;
  readonly #queue = new SerialQueue();
  readonly #cached = { bytes: () => this.#table?.bytes ?? 0, evict: () => this.#evict() };
  #table: VectorTable | undefined;
  /** Found damaged after opening: nothing is answered, nor taken, until it is dropped. Less than all would be a wrong answer. */
  #lost = false;
  /** File size from which it is worth looking whether to compact. */
  #lookAgainAt = 0;

  constructor(name: IndexPartition, context: PartitionContext) {
    this.name = name;
    this.#context = context;
    this.#file = new PartitionFile(context.root, name, context.mark);
  }

  get exists(): boolean {
    return this.#file.exists;
  }

  get position(): Position {
    return this.#file.position;
  }

  /** Takes up what lies on disk: as the mark says, unread, if the file is as it was then; else it is read through. */
  open(noted?: SyncedPartition): Promise<void> {
    return this.#queue.run(async () => {
      try {
        await this.#file.open(noted);
        if (this.exists) this.#lookAgainAt = this.#file.size + this.#context.limits.compactFromBytes;
      } catch (error) {
        if (!(error instanceof Corrupt)) throw error;
        this.#forget();
        this.#context.reportDamage(this.name, error.message, false);
      }
    });
  }

  /** Reads the file through if nobody has since it was opened. @throws Unavailable when it is damaged */
  check(): Promise<void> {
    return this.#queue.run(() => this.#checkUnread());
  }

  apply(writes: readonly (VectorPut | IndexRemoval)[], upTo: Position): Promise<void> {
    return this.#queue.run(async () => {
      this.#refuseLost();
      // At its own position it takes a further call: what is new comes first, what is gone follows.
      if (upTo < this.position) return;
      await this.#checkUnread();
      const batch = rowBatch(writes, upTo, this.#file.dimensions);
      const payload = encodeRows(batch);
      if (payload.length > MAX_FRAME_BYTES)
        throw new InvalidValue('writes', `at most ${MAX_FRAME_BYTES} bytes in one call`, payload.length);
      await this.#file.append(payload, upTo, batch.dimensions);
      this.#applyToTable(payload);
      if (this.#file.size >= this.#lookAgainAt) await this.#compactIfWasteful();
    });
  }

  /** @throws InvalidValue when the vector does not fit the partition */
  async search(vector: Float32Array, k: number, filter?: Filter): Promise<TableHits> {
    const table = await this.#loaded();
    if (table === undefined) return NO_HITS;
    checkUnit(vector, table.dimensions, 'vector');
    return table.search(vector, k, filter);
  }

  /** @throws InvalidValue when the vector does not fit the partition */
  async spread(vector: Float32Array): Promise<ScoreSpread> {
    const table = await this.#loaded();
    if (table === undefined) return NO_SPREAD;
    checkUnit(vector, table.dimensions, 'vector');
    return table.spread(vector);
  }

  /** The table as of now, or undefined when nothing was ever put. */
  async table(): Promise<VectorTable | undefined> {
    return this.#loaded();
  }

  /** What is on disk then is staged in the mark. */
  flush(): Promise<void> {
    return this.#queue.run(() => this.#file.flush());
  }

  /** Rewrites a file that holds what was removed. */
  purge(): Promise<void> {
    return this.#queue.run(async () => {
      if (!this.exists || this.#lost || !this.#file.residue) return;
      const wasLoaded = this.#table !== undefined;
      await this.#rewrite(await this.#load());
      if (!wasLoaded) this.#evict();
    });
  }

  drop(): Promise<void> {
    return this.#queue.run(async () => {
      await this.#file.remove();
      this.#forget();
    });
  }

  async #loaded(): Promise<VectorTable | undefined> {
    const table = this.#table ?? (await this.#queue.run(() => this.#load()));
    if (table !== undefined && table === this.#table) this.#context.cache.use(this.#cached);
    return table;
  }

  async #load(): Promise<VectorTable | undefined> {
    if (this.#table === undefined) await this.#reload();
    return this.#table;
  }

  /** The table that there was serves until the new one is complete. */
  async #reload(): Promise<void> {
    this.#refuseLost();
    if (this.#file.dimensions === 0) return this.#checkUnread();
    await this.#losingDamaged(async () => {
      const table = new VectorTable(this.#file.dimensions, this.#context.limits);
      await this.#file.visit((payload) => table.apply(decodeRows(payload)));
      this.#table = table;
    });
  }

  async #checkUnread(): Promise<void> {
    if (this.#file.unread) await this.#losingDamaged(() => this.#file.readThrough());
  }

  #applyToTable(payload: Uint8Array): void {
    if (this.#table === undefined) return;
    try {
      // What was written, not what was given: a reopening will see the very same.
      const [before, rows] = [this.#table.rows, decodeRows(new Uint8Array(payload))];
      this.#table.apply(rows);
      if (this.#table.rows < before + rows.setOf.length) this.#file.leaveResidue();
      this.#context.cache.use(this.#cached);
    } catch {
      // Out of memory half-way. The frame is written, so the next search reads the file and says so if it still does not fit.
      this.#evict();
    }
  }

  /** Writes the living rows into a new base, when the file is more than half again as large as it has to be. */
  async #compactIfWasteful(): Promise<void> {
    const { compactFromBytes } = this.#context.limits;
    const table = await this.#load();
    const needed = (table?.rows ?? 0) * (4 * this.#file.dimensions + 20);
    if (this.#file.size - needed > compactFromBytes + needed / 2) {
      await this.#rewrite(table);
    }
    if (this.#table !== undefined) this.#context.cache.use(this.#cached);
    this.#lookAgainAt = this.#file.size + compactFromBytes + needed / 2;
  }

  async #rewrite(table: VectorTable | undefined): Promise<void> {
    await this.#file.rewrite(encoded(table?.batches(this.position) ?? [rowBatch([], this.position, 0)]));
    // Read again rather than changed in place: searches that are under way keep the table they began with.
    await this.#reload();
  }

  /** @throws Unavailable when the work meets damage */
  async #losingDamaged(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Corrupt)) throw error;
      this.#forget();
      this.#lost = true;
      this.#context.reportDamage(this.name, error.message, true);
      this.#refuseLost();
    }
  }

  #refuseLost(): void {
    if (this.#lost) throw new Unavailable(`the vectors of ${partitionKey(this.name)} are damaged; they are made again from the log`);
  }

  #forget(): void {
    this.#evict();
    this.#file.forget();
    this.#lost = false;
    this.#lookAgainAt = this.#context.limits.compactFromBytes;
  }

  #evict(): void {
    this.#context.cache.forget(this.#cached);
    this.#table = undefined;
  }
}

function* encoded(batches: Iterable<ReturnType<typeof rowBatch>>): Generator<Uint8Array> {
  for (const batch of batches) yield encodeRows(batch);
}
