import { cipherIfAny, openPartitionsIn, partitionsIn, TermsOfWords } from '@palimpsest/contracts';
import { BACKGROUND, eachInTurn, forEachSequentially, KeyedMutex, type Pace } from '@palimpsest/foundation';
import { InvalidValue, Unavailable } from '@palimpsest/knowledge/errors';
import { ScopeKeyDestroyed } from '@palimpsest/knowledge/ports';
import {
  readingLanguages,
  NO_LEXICAL_SPREAD,
  partitionKey,
  type IndexEntry,
  type IndexPartition,
  type IndexRemoval,
  type IndexStore,
  type LexicalHit,
  type LexicalIndex,
  type LexicalPut,
  type LexicalQuery,
  type LexicalSpread,
  type ReadablePartition,
} from '@palimpsest/knowledge/read-models';
import type { SelectedChunks, WordConditions, WordFrequency } from '@palimpsest/knowledge/selections';
import type { IndexBytes } from '@palimpsest/knowledge/plans';
import { MAX_INDEX_RESULTS } from '@palimpsest/knowledge/texts';
import { START, chunkId as parseChunkId, type ChunkId, type Position } from '@palimpsest/knowledge/values';
import { termsOf } from './analysis/analyse.ts';
import { TextAnalysis } from './analysis/text-analysis.ts';
import type { Bm25Settings } from './bm25-settings.ts';
import type { Loaded } from './loaded-partitions.ts';
import { OpenPartitions } from './open-partitions.ts';
import type { Damage } from './partition-ledger.ts';
import { explainTerms, type TermContribution } from './partition/explain-terms.ts';
import { frequenciesIn } from './partition/frequencies-in-partition.ts';
import { Partition } from './partition/partition.ts';
import { searchPartition } from './partition/search-partition.ts';
import { selectIn } from './partition/select-in-partition.ts';
import { spreadIn } from './partition/spread-in-partition.ts';

/**
 * `LexicalIndex` on files below one folder, for one process. Partitions are loaded on first use. When they take too much memory, the
 * least recently used ones are unloaded. Calls on one partition are queued; searches never wait for writes.
 */
export class Bm25Index implements LexicalIndex {
  readonly #settings: Bm25Settings;
  readonly #open: OpenPartitions;
  readonly #analysis = new TextAnalysis();
  readonly #termsOfWords = new TermsOfWords(termsOf);
  readonly #locks = new KeyedMutex();
  #closed = false;

  constructor(settings: Bm25Settings) {
    this.#settings = settings;
    this.#open = new OpenPartitions(settings);
  }

  /**
   * Registers every partition. Reads only those that the flush manifest does not fully describe, so that `damaged` is complete from the
   * start. Partitions that fit into memory stay loaded.
   */
  async inspect(): Promise<void> {
    for (const partition of await this.#open.ledger.open(await openPartitionsIn(this.#settings.root, 'lexical')))
      await this.position(partition);
    this.#open.ledger.opened();
  }

  /** Reads the partitions that were not read at opening, one at a time. Reports damage to `onDamage`. */
  async check(pace: Pace = BACKGROUND): Promise<void> {
    const check = (of: IndexPartition): Promise<void> =>
      this.#locked(of, async (key) => {
        if (!(await this.#dropErased(key, of))) await this.#open.check(key, of);
      });
    await forEachSequentially(this.#open.ledger.unread(), check, pace, () => this.#closed);
  }

  /** Prepares for many texts: starts the analysis thread, which takes a moment. */
  readonly warmUp = (): void => this.#analysis.warmUp();
  readonly expect = (puts: readonly LexicalPut[]): void => this.#analysis.expect(puts);

  async apply(of: IndexPartition, writes: readonly (LexicalPut | IndexRemoval)[], upTo: Position): Promise<void> {
    const last = new Map(writes.map((write) => [parseChunkId(write.chunkId), write] as const));
    await this.#locked(of, async (key) => {
      if (await this.#dropErased(key, of)) return;
      // A second call at the same position is accepted: additions come in the first call, removals in the second.
      if (upTo < (this.#open.ledger.position(key) ?? START)) return;
      const known = await this.#open.load(key, of);
      if (upTo < (known?.position ?? START)) return;
      const removals = [...last.values()].flatMap((write) => (write.write === 'remove' ? [write.chunkId] : []));
      const puts = await this.#analysis.analyse([...last.values()].filter((write) => write.write === 'put'));
      const loaded = known ?? (await this.#open.create(key, of));
      await this.#open.write(key, loaded, { after: loaded.position, upTo, puts, removals });
    });
  }

  async search(of: ReadablePartition, text: string, query: LexicalQuery): Promise<readonly LexicalHit[]> {
    if (!Number.isInteger(query.k) || query.k < 1 || query.k > MAX_INDEX_RESULTS)
      throw new InvalidValue('k', `a whole number from 1 to ${MAX_INDEX_RESULTS}`, query.k);
    return this.#read(of, (loaded) => (loaded === undefined ? [] : searchPartition(loaded.partition, text, query, this.#settings)));
  }

  async spread(of: ReadablePartition, text: string, language?: string): Promise<LexicalSpread> {
    return this.#read(of, (loaded) =>
      loaded === undefined ? NO_LEXICAL_SPREAD : spreadIn(loaded.partition, text, language, this.#settings),
    );
  }

  async select(of: ReadablePartition, conditions: WordConditions, text: string, language?: string): Promise<SelectedChunks> {
    return this.#read(of, (loaded) => selectIn(loaded?.partition ?? new Partition(), conditions, text, language));
  }

  async frequencies(of: ReadablePartition, words: readonly string[], language?: string): Promise<readonly WordFrequency[]> {
    const present = await this.#read(of, (loaded) => loaded?.partition.languages() ?? []);
    const terms = await this.#termsOfWords.of(words, readingLanguages(present, language));
    return this.#read(of, (loaded) => frequenciesIn(loaded?.partition ?? new Partition(), terms));
  }

  /** Returns what each term of a query contributes to one chunk; empty when the chunk does not exist or contains none of the terms. */
  async explain(of: ReadablePartition, text: string, chunkId: ChunkId): Promise<readonly TermContribution[]> {
    return this.#read(of, (loaded) => (loaded === undefined ? [] : explainTerms(loaded.partition, text, chunkId, this.#settings)));
  }

  async position(of: IndexPartition): Promise<Position> {
    this.#assertOpen();
    return this.#open.ledger.position(partitionKey(of)) ?? this.#read(of, (loaded) => loaded?.position ?? START);
  }

  count(of: IndexPartition): Promise<number> {
    return this.#read(of, (loaded) => loaded?.partition.count ?? 0);
  }

  bytes(of: IndexPartition): Promise<IndexBytes> {
    return this.#locked(of, async (key) => this.#open.bytes(key, of));
  }

  async *entries(of: IndexPartition): AsyncIterable<IndexEntry> {
    yield* await this.#read(of, (loaded) => loaded?.partition.entries() ?? []);
  }

  async partitions(): Promise<readonly IndexPartition[]> {
    this.#assertOpen();
    return (await partitionsIn(this.#settings.root, 'lexical')).filter((partition) => this.#open.ledger.isUsable(partitionKey(partition)));
  }

  damaged(): readonly Damage[] {
    return this.#open.ledger.damaged();
  }

  async drop(of: IndexPartition): Promise<void> {
    await this.#locked(of, (key) => this.#open.drop(key, of));
  }

  async adopt(of: IndexPartition, from: IndexStore): Promise<void> {
    if (!(from instanceof Bm25Index)) throw new TypeError('the other index is no BM25 index');
    await this.#locked(of, (key) => from.#locked(of, () => this.#open.adopt(key, of, from.#open)));
  }

  async copy(of: IndexPartition, from: IndexStore): Promise<void> {
    if (!(from instanceof Bm25Index)) throw new TypeError('the other index is no BM25 index');
    await this.#locked(of, (key) => from.#locked(of, () => this.#open.copy(key, of, from.#open)));
  }

  async dropAll(): Promise<void> {
    this.#assertOpen();
    this.#analysis.warmUp();
    // Clears the manifest once instead of once per drop.
    await this.#onDisk('the flush manifest', () => this.#open.ledger.disclaimAll());
    for (const partition of await partitionsIn(this.#settings.root, 'lexical')) await this.drop(partition);
  }

  async flush(): Promise<void> {
    for (const [, of] of this.#open.unsynced()) await this.#locked(of, (key) => this.#sync(key, of));
    await this.#onDisk('the flush manifest', () => this.#open.ledger.commit());
  }

  async #sync(key: string, of: IndexPartition): Promise<void> {
    try {
      await this.#open.sync(key, of);
    } catch (error) {
      // Only after a failed write is the key needed here, to read what was written.
      if (!(error instanceof ScopeKeyDestroyed)) throw error;
      await this.#open.drop(key, of);
    }
  }

  async purge(): Promise<void> {
    const purge = (of: IndexPartition): Promise<void> =>
      this.#locked(of, async (key) => {
        if (!(await this.#dropErased(key, of))) await this.#open.purge(key, of);
      });
    await eachInTurn(this.#open.ledger.withResidue(), purge, () => this.#closed);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    await this.#locks.idle();
    await this.flush();
    this.#closed = true;
    await this.#analysis.close();
    this.#open.loaded.clear();
  }

  /** `work` is synchronous, so no write can happen during it. */
  async #read<T>(of: IndexPartition, work: (loaded: Loaded | undefined) => T): Promise<T> {
    this.#assertOpen();
    const key = partitionKey(of);
    if (await this.#isErased(of)) {
      await this.#locked(of, () => this.#dropErased(key, of));
      return work(undefined);
    }
    const loaded = this.#open.loaded.get(key) ?? (await this.#locked(of, () => this.#open.load(key, of)));
    const result = work(loaded);
    // Another call unloaded the partition meanwhile: free what the search placed in the kernel.
    if (loaded !== undefined && !this.#open.loaded.holds(key, loaded)) loaded.partition.release();
    this.#settle(key);
    return result;
  }

  async #isErased({ scope }: IndexPartition): Promise<boolean> {
    return (await cipherIfAny(this.#settings.keys, scope)) === undefined;
  }

  /** Nothing is left of a partition whose key was destroyed: its files and its memory are freed when it is used next. */
  async #dropErased(key: string, of: IndexPartition): Promise<boolean> {
    if (!(await this.#isErased(of))) return false;
    const { memory, disk } = this.#open.bytes(key, of);
    if (memory + disk > 0) await this.#open.drop(key, of);
    return true;
  }

  async #locked<T>(of: IndexPartition, work: (key: string) => Promise<T>): Promise<T> {
    this.#assertOpen();
    const key = partitionKey(of);
    const result = await this.#locks.run(key, () => this.#onDisk(key, () => work(key)));
    this.#settle(key);
    return result;
  }

  /** @throws Unavailable on disk errors */
  async #onDisk<T>(what: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).syscall === undefined) throw cause;
      throw new Unavailable(`the lexical index files of ${what} cannot be used: ${(cause as Error).message}`, { cause });
    }
  }

  #settle(key: string): void {
    this.#open.loaded.settle(key, (other) => this.#locks.isBusy(other));
  }

  #assertOpen(): void {
    if (this.#closed) throw new Unavailable('the lexical index is closed');
  }
}
