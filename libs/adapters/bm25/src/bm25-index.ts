import {
  START, InvalidValue, Unavailable, chunkId as parseChunkId, partitionKey,
  type ChunkId, type IndexEntry, type IndexPartition, type IndexQuery, type IndexRemoval, type LexicalHit, type LexicalIndex,
  type LexicalPut, type Position, type ReadablePartition,
} from '@palimpsest/knowledge';
import { gently } from '@palimpsest/contracts';
import { TextAnalysis } from './analysis/text-analysis.ts';
import type { Bm25Settings } from './bm25-settings.ts';
import { KeyedLock } from './keyed-lock.ts';
import { LoadedPartitions, type Loaded } from './loaded-partitions.ts';
import { PartitionLedger, type Damage } from './partition-ledger.ts';
import { explainTerms, type TermContribution } from './partition/explain-terms.ts';
import { Partition } from './partition/partition.ts';
import { searchPartition } from './partition/search-partition.ts';
import { Damaged } from './storage/damaged.ts';
import { partitionFolder, partitionsIn } from './storage/partition-path.ts';
import { PartitionStore, applyBatch } from './storage/partition-store.ts';

/** A journal is merged into the base when it has grown as large: all merging together then costs about twice the last. */
const JOURNAL_SHARE = 1;

/**
 * `LexicalIndex` on files below one folder, for one process. Partitions are loaded when first used and unloaded, the least
 * lately used first, when they take too much memory. Calls on one partition are queued; searches never wait for writes.
 */
export class Bm25Index implements LexicalIndex {
  readonly #settings: Bm25Settings;
  readonly #loaded: LoadedPartitions;
  readonly #analysis = new TextAnalysis();
  readonly #locks = new KeyedLock();
  readonly #unflushed = new Map<string, IndexPartition>();
  readonly #ledger: PartitionLedger;
  /** Whose journal may end in half a frame, since writing it failed; loading cuts that off. */
  readonly #cutOff = new Set<string>();
  /** What an earlier process wrote and did not come to sync, names included. */
  readonly #inherited = new Set<string>();
  #closed = false;

  constructor(settings: Bm25Settings) {
    this.#settings = settings;
    this.#loaded = new LoadedPartitions(settings.cacheBytes);
    this.#ledger = new PartitionLedger(settings.root, (of) => this.#store(of).stamps(), settings.onDamage);
  }

  /**
   * Takes up every partition: unread where the mark of a clean close tells enough, else by reading it, so that `damaged` can
   * tell from the first moment on. Those that fit into memory stay there.
   */
  async inspect(): Promise<void> {
    for (const partition of await this.#ledger.open(await partitionsIn(this.#settings.root))) await this.position(partition);
    this.#ledger.opened();
  }

  /** Reads what was taken unread at opening: one partition at a time, and a tenth of the time. Damage goes to `onDamage`. */
  async check(): Promise<void> {
    const check = (of: IndexPartition): Promise<void> =>
      this.#locked(partitionKey(of), async () => {
        if (this.#ledger.isUnread(partitionKey(of))) await this.#noticingDamage(of, () => this.#store(of).check());
      });
    await gently(this.#ledger.unread(), check, () => this.#closed);
  }

  /** Gets ready for many texts, which takes a moment. */
  warmUp(): void {
    this.#analysis.warmUp();
  }

  expect(puts: readonly LexicalPut[]): void {
    this.#analysis.expect(puts);
  }

  async apply(of: IndexPartition, writes: readonly (LexicalPut | IndexRemoval)[], upTo: Position): Promise<void> {
    const key = partitionKey(of);
    const last = new Map(writes.map((write) => [parseChunkId(write.chunkId), write] as const));
    await this.#locked(key, async () => {
      // At its own position it takes a further call: what is new comes first, what is gone follows.
      if (upTo < (this.#ledger.position(key) ?? START)) return;
      const known = await this.#load(key, of);
      if (upTo < (known?.position ?? START)) return;
      const removals = [...last.values()].flatMap((write) => (write.write === 'remove' ? [write.chunkId] : []));
      const puts = await this.#analysis.analyse([...last.values()].filter((write) => write.write === 'put'));
      const loaded = known ?? (await this.#create(key, of));
      const batch = { after: loaded.position, upTo, puts, removals };
      await this.#append(key, loaded, batch);
      applyBatch(loaded.partition, batch);
      loaded.position = upTo;
      this.#ledger.reached(key, of, upTo);
      if (loaded.journalBytes > Math.max(this.#settings.compactFromBytes, loaded.baseBytes * JOURNAL_SHARE)) await this.#compact(key, loaded);
    });
  }

  async search(of: ReadablePartition, text: string, query: IndexQuery): Promise<readonly LexicalHit[]> {
    if (!Number.isInteger(query.k) || query.k < 1 || query.k > 1000) throw new InvalidValue('k', 'a whole number of 1-1000', query.k);
    return this.#read(of, (loaded) => (loaded === undefined ? [] : searchPartition(loaded.partition, text, query, this.#settings)));
  }

  /** What each term of a query brings to one chunk: empty when the chunk is not there or holds none of them. */
  async explain(of: ReadablePartition, text: string, chunkId: ChunkId): Promise<readonly TermContribution[]> {
    return this.#read(of, (loaded) => (loaded === undefined ? [] : explainTerms(loaded.partition, text, chunkId, this.#settings)));
  }

  async position(of: IndexPartition): Promise<Position> {
    this.#assertOpen();
    return this.#ledger.position(partitionKey(of)) ?? this.#read(of, (loaded) => loaded?.position ?? START);
  }

  count(of: IndexPartition): Promise<number> {
    return this.#read(of, (loaded) => loaded?.partition.count ?? 0);
  }

  async *entries(of: IndexPartition): AsyncIterable<IndexEntry> {
    yield* await this.#read(of, (loaded) => loaded?.partition.entries() ?? []);
  }

  async partitions(): Promise<readonly IndexPartition[]> {
    this.#assertOpen();
    return (await partitionsIn(this.#settings.root)).filter((partition) => this.#ledger.isUsable(partitionKey(partition)));
  }

  damaged(): readonly Damage[] {
    return this.#ledger.damaged();
  }

  async drop(of: IndexPartition): Promise<void> {
    const key = partitionKey(of);
    await this.#locked(key, async () => {
      this.#forget(key);
      await this.#store(of).remove();
      this.#ledger.anew(key);
    });
  }

  async dropAll(): Promise<void> {
    this.#assertOpen();
    this.#analysis.warmUp();
    for (const partition of await partitionsIn(this.#settings.root)) await this.drop(partition);
  }

  async flush(): Promise<void> {
    for (const [key, of] of [...this.#unflushed]) await this.#locked(key, () => this.#sync(key, of));
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    await this.#locks.idle();
    await this.flush();
    this.#closed = true;
    await this.#analysis.close();
    await this.#ledger.close();
    this.#loaded.clear();
  }

  /** `work` runs in one go: no write can fall into it. */
  async #read<T>(of: IndexPartition, work: (loaded: Loaded | undefined) => T): Promise<T> {
    this.#assertOpen();
    const key = partitionKey(of);
    const loaded = this.#loaded.get(key) ?? (await this.#locked(key, () => this.#load(key, of)));
    const result = work(loaded);
    // Unloaded by others in the meantime: what the search placed in the kernel would never be freed.
    if (loaded !== undefined && !this.#loaded.holds(key, loaded)) loaded.partition.release();
    this.#settle(key);
    return result;
  }

  async #locked<T>(key: string, work: () => Promise<T>): Promise<T> {
    this.#assertOpen();
    const result = await this.#locks.run(key, async () => {
      try {
        return await work();
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).syscall === undefined) throw cause;
        throw new Unavailable(`the files of the lexical index of ${key} cannot be used: ${(cause as Error).message}`, { cause });
      }
    });
    this.#settle(key);
    return result;
  }

  async #load(key: string, of: IndexPartition): Promise<Loaded | undefined> {
    this.#ledger.refuseLost(key);
    const known = this.#loaded.get(key);
    if (known !== undefined || !this.#ledger.isUsable(key)) return known;
    return this.#noticingDamage(of, async () => {
      const stored = await this.#store(of).load(this.#settings.kernelFromChunks);
      this.#ledger.read(key, stored?.position);
      if (stored === undefined) return undefined;
      const { durable, ...contents } = stored;
      const loaded = { of, ...contents };
      this.#loaded.set(key, loaded);
      this.#ledger.reached(key, of, loaded.position);
      // A process that died wrote it, and did not come to sync it.
      if (durable) return loaded;
      this.#unflushed.set(key, of);
      this.#inherited.add(key);
      this.#cutOff.delete(key);
      return loaded;
    });
  }

  /** Undefined when the work meets damage while the index is being opened. @throws Unavailable when it does later */
  async #noticingDamage<T>(of: IndexPartition, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Damaged)) throw error;
      this.#forget(partitionKey(of));
      return this.#ledger.damage(partitionKey(of), of, error.message);
    }
  }

  async #create(key: string, of: IndexPartition): Promise<Loaded> {
    await this.#store(of).create();
    this.#ledger.anew(key);
    const loaded: Loaded = { of, partition: new Partition(this.#settings.kernelFromChunks), position: START, baseBytes: 0, journalBytes: 0 };
    this.#loaded.set(key, loaded);
    return loaded;
  }

  async #append(key: string, loaded: Loaded, batch: Parameters<PartitionStore['append']>[0]): Promise<void> {
    this.#unflushed.set(key, loaded.of);
    try {
      loaded.journalBytes += await this.#store(loaded.of).append(batch);
    } catch (error) {
      this.#distrust(key);
      throw error;
    }
  }

  async #compact(key: string, loaded: Loaded): Promise<void> {
    loaded.baseBytes = await this.#store(loaded.of).writeBase(loaded.partition.compact(), loaded.position);
    loaded.journalBytes = 0;
    this.#unflushed.delete(key);
  }

  async #sync(key: string, of: IndexPartition): Promise<void> {
    if (!this.#unflushed.has(key)) return;
    if (this.#cutOff.has(key)) await this.#load(key, of);
    try {
      await this.#store(of).sync({ names: this.#inherited.has(key) });
    } catch (error) {
      this.#distrust(key);
      throw error;
    }
    this.#unflushed.delete(key);
    this.#inherited.delete(key);
  }

  /** How much of what was being written is there, only the file knows: it is read again before anything is added. */
  #distrust(key: string): void {
    this.#loaded.delete(key);
    this.#ledger.forget(key);
    this.#cutOff.add(key);
  }

  #forget(key: string): void {
    this.#loaded.delete(key);
    this.#ledger.forget(key);
    this.#unflushed.delete(key);
    this.#inherited.delete(key);
    this.#cutOff.delete(key);
  }

  #settle(key: string): void {
    this.#loaded.settle(key, (other) => this.#locks.isBusy(other));
  }

  #store(of: IndexPartition): PartitionStore {
    return new PartitionStore(partitionFolder(this.#settings.root, of), this.#settings.root);
  }

  #assertOpen(): void {
    if (this.#closed) throw new Unavailable('the lexical index is closed');
  }
}
