import { lexicalDigest } from '@palimpsest/contracts';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import {
  NO_LEXICAL_SPREAD,
  readingLanguages,
  spreadOf,
  type IndexEntry,
  type IndexPartition,
  type IndexRemoval,
  type LexicalHit,
  type LexicalIndex,
  type LexicalPut,
  type LexicalQuery,
  type LexicalSpread,
  type Ordered,
  type OrderedWrites,
  type ReadablePartition,
} from '@palimpsest/knowledge/read-models';
import { laterOf, type ChunkId, type Position } from '@palimpsest/knowledge/values';
import type { CollectionPlan } from '../partitions/collections.ts';
import type { Draft, FoundPoint } from '../partitions/partition-points.ts';
import { checkK, PartitionStore, type Writing } from '../partitions/partition-store.ts';
import { rankedSearch } from '../partitions/ranked-search.ts';
import { KnownLanguages } from './known-languages.ts';
import { analyseIn, bm25Shape, lexicalPlan, TERMS, type QdrantLexicalOptions } from './lexical-options.ts';
import { documentVector, queryVector, type Bm25Shape } from './sparse-terms.ts';

/** Number of scores from which a spread is computed; those of all other chunks count as 0. */
const SPREAD_OVER = 1000;

export type QdrantLexicalIndex = LexicalIndex &
  OrderedWrites<LexicalPut> &
  Readonly<{
    /** Removes what earlier settings and formats have left. All processes that write must run this version. */
    removeUnused(): Promise<void>;
  }>;

/**
 * BM25 on Qdrant's sparse vectors, for scopes too large for memory. Unlike the in-process index, it counts document
 * frequencies over all partitions of the collection, and takes the average length from a setting. So scores (not which chunks are
 * found) depend on the data of other tenants.
 * @throws InvalidValue for an option out of range
 */
export const openQdrantLexicalIndex = (options: QdrantLexicalOptions): QdrantLexicalIndex => new OpenLexicalIndex(options);

class OpenLexicalIndex implements QdrantLexicalIndex {
  readonly #store: PartitionStore;
  readonly #plan: CollectionPlan;
  readonly #shape: Bm25Shape;
  readonly #languages: KnownLanguages;
  readonly #analyse: QdrantLexicalOptions['analyse'];
  readonly #analyseQuery: NonNullable<QdrantLexicalOptions['analyseQuery']>;
  readonly #queryLanguage: NonNullable<QdrantLexicalOptions['queryLanguage']>;

  constructor(options: QdrantLexicalOptions) {
    const { analyse, analyserVersion, analyseQuery = analyseIn(analyse), queryLanguage = () => 'und', languagesMaxAgeMs = 5_000 } = options;
    if (typeof analyserVersion !== 'string' || analyserVersion === '') throw new InvalidValue('analyserVersion', 'a name', analyserVersion);
    this.#shape = bm25Shape(options);
    this.#store = new PartitionStore(options, 'lexical');
    this.#plan = lexicalPlan(this.#store.layout.prefix, analyserVersion, this.#shape);
    this.#languages = new KnownLanguages(this.#store.meta, languagesMaxAgeMs);
    this.#analyse = analyse;
    this.#analyseQuery = analyseQuery;
    this.#queryLanguage = queryLanguage;
  }

  async apply(partition: IndexPartition, writes: readonly (LexicalPut | IndexRemoval)[], upTo: Position): Promise<void> {
    const puts = writes.filter((write): write is LexicalPut => write.write === 'put');
    await this.#store.apply(partition, async () => this.#writing(partition, puts), writes, upTo);
  }

  async put(partition: IndexPartition, puts: readonly Ordered<{ put: LexicalPut }>[]): Promise<void> {
    if (puts.length === 0) return;
    const writing = this.#writing(
      partition,
      puts.map(({ put }) => put),
    );
    await this.#store.put(partition, writing, await this.#afterApplied(partition, puts));
  }

  async remove(partition: IndexPartition, removals: readonly Ordered<{ chunkId: ChunkId }>[]): Promise<void> {
    if (removals.length > 0) await this.#store.remove(partition, this.#plan, await this.#afterApplied(partition, removals));
  }

  async search(partition: ReadablePartition, text: string, { k, filter, language }: LexicalQuery): Promise<readonly LexicalHit[]> {
    checkK(k);
    return this.#store.read(partition, async () => {
      const asked = this.#analyseQuery(text, readingLanguages(await this.#languages.of(partition), language));
      if (asked.size === 0) return [];
      const points = this.#store.points(this.#plan, partition);
      const query = queryVector(asked);
      return rankedSearch({
        k,
        filter,
        slack: 0,
        ask: (limit, conditions, payload) =>
          points.query({ query, using: TERMS, limit, params: {}, payload: ['terms', ...payload], withVector: false }, conditions),
        score: async (found) => found.flatMap((point) => hitOf(point, asked)),
      });
    });
  }

  /**
   * An estimate: the server ranks but does not sum, so chunks that rank below the best 1,000 count as 0. All partitions of a
   * collection share their document frequencies, so their scores are directly comparable (`attainable` is 1).
   */
  async spread(partition: ReadablePartition, text: string, language?: string): Promise<LexicalSpread> {
    return this.#store.read(partition, async () => {
      const points = this.#store.points(this.#plan, partition);
      const [count, known] = await Promise.all([points.count(), this.#languages.of(partition)]);
      if (count === 0) return NO_LEXICAL_SPREAD;
      const languages = readingLanguages(known, language);
      const asked = this.#analyseQuery(text, languages);
      const query = queryVector(asked);
      const found =
        asked.size === 0
          ? []
          : await points.query({ query, using: TERMS, limit: SPREAD_OVER, params: {}, payload: [], withVector: false }, []);
      const scores = found.map(({ score }) => score);
      // Beyond 1,000, zeros are counted, not listed: a partition may hold millions.
      const { mean, deviation } = spreadOf(scores);
      const share = scores.length / count;
      return {
        count,
        mean: mean * share,
        deviation: Math.sqrt(share * (deviation ** 2 + (1 - share) * mean ** 2)),
        attainable: 1,
        language: this.#queryLanguage(text, languages),
      };
    });
  }

  position(partition: IndexPartition): Promise<Position> {
    return this.#store.position(partition, this.#plan);
  }

  partitions(): Promise<readonly IndexPartition[]> {
    return this.#store.partitions();
  }

  count(partition: IndexPartition): Promise<number> {
    return this.#store.read(partition, () => this.#store.points(this.#plan, partition).count());
  }

  entries(partition: IndexPartition): AsyncIterable<IndexEntry> {
    return this.#store.entries(partition, this.#plan);
  }

  /** The server checks its own files, and does not start with damaged ones. */
  damaged(): readonly [] {
    return [];
  }

  async drop(partition: IndexPartition): Promise<void> {
    await this.#store.drop(partition);
    this.#languages.forget(partition);
  }

  async dropAll(): Promise<void> {
    await this.#store.dropAll();
    this.#languages.forgetAll();
  }

  removeUnused(): Promise<void> {
    return this.#store.removeUnused((collection) => collection === this.#plan.name);
  }

  /** Nothing to do: every write is in the server's log before its call resolves. */
  async flush(): Promise<void> {}

  async close(): Promise<void> {
    this.#store.close();
  }

  #writing(partition: IndexPartition, puts: readonly LexicalPut[]): Writing<LexicalPut> {
    const languages = puts.map(({ language }) => language);
    return { plan: this.#plan, draftOf: (put) => this.#draft(put), before: () => this.#languages.add(partition, languages) };
  }

  /**
   * Earlier versions applied whole batches, and gave their points the position of the partition, which is not before that of their event.
   * Writes of earlier events that are repeated now must not lose against them.
   */
  async #afterApplied<W extends Readonly<{ at: Position }>>(partition: IndexPartition, writes: readonly W[]): Promise<readonly W[]> {
    const applied = await this.#store.position(partition, this.#plan);
    return writes.map((write) => ({ ...write, at: laterOf(write.at, applied) }));
  }

  #draft(put: LexicalPut): Draft {
    const { chunkId, text, language, attributes } = put;
    const terms = this.#analyse(text, language);
    const distinct = JSON.stringify([...new Set(terms)]);
    // A chunk without terms has no vector: it is counted and listed, but never found.
    const vector = terms.length === 0 ? {} : { [TERMS]: documentVector(terms, this.#shape) };
    return {
      chunkId,
      attributes,
      vector,
      bytes: 35 * terms.length + distinct.length,
      digest: lexicalDigest(put),
      payload: { terms: distinct },
    };
  }
}

/** No result for a chunk that only shares the hash of a term. */
const hitOf = ({ chunkId, score, payload }: FoundPoint, asked: ReadonlyMap<string, number>): readonly LexicalHit[] => {
  const held = new Set(JSON.parse(String(payload['terms'])) as readonly string[]);
  const terms = [...asked.keys()].filter((term) => held.has(term));
  return terms.length === 0 ? [] : [{ chunkId, score, terms }];
};
