import { lexicalDigest, TermsOfWords } from '@palimpsest/contracts';
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
import { termConditions, type SelectedChunks, type WordConditions, type WordFrequency } from '@palimpsest/knowledge/selections';
import { weightedTexts } from '@palimpsest/knowledge/texts';
import type { ChunkId, Position } from '@palimpsest/knowledge/values';
import type { CollectionPlan } from '../partitions/collections.ts';
import type { Draft, FoundPoint, PartitionPoints } from '../partitions/partition-points.ts';
import type { PartitionSeal } from '../partitions/partition-seal.ts';
import { checkK, PartitionStore, type Writing } from '../partitions/partition-store.ts';
import { rankedSearch } from '../partitions/ranked-search.ts';
import { KnownLanguages } from './known-languages.ts';
import { analyseIn, bm25Shape, lexicalPlan, TERMS, type QdrantLexicalOptions } from './lexical-options.ts';
import { frequenciesInPoints } from './frequencies-in-points.ts';
import { heldTerms, selectInPoints, WORDS } from './select-in-points.ts';
import { documentVector, queryVector, rarity, termIndex, weightIn, type Bm25Shape } from './sparse-terms.ts';

/** Number of scores from which a spread is computed; those of all other chunks count as 0. */
const SPREAD_OVER = 1000;

export type QdrantLexicalIndex = LexicalIndex &
  OrderedWrites<LexicalPut> &
  Readonly<{
    /** Removes what earlier settings and formats have left. All processes that write must run this version. */
    removeUnused(): Promise<void>;
  }>;

/**
 * BM25 on Qdrant's sparse vectors, for scopes too large for memory. Unlike the in-process index, it takes the average length from a
 * setting, so its scores differ. The server gets words as numbers that depend on the key of the scope, so it cannot count them over scopes.
 * @throws InvalidValue for an option out of range
 */
export const openQdrantLexicalIndex = (options: QdrantLexicalOptions): QdrantLexicalIndex => new OpenLexicalIndex(options);

class OpenLexicalIndex implements QdrantLexicalIndex {
  readonly #store: PartitionStore;
  readonly #plan: CollectionPlan;
  readonly #shape: Bm25Shape;
  readonly #languages: KnownLanguages;
  readonly #termsOfWords: TermsOfWords;
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
    this.#termsOfWords = new TermsOfWords(analyse);
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
    await this.#store.put(partition, writing, puts);
  }

  async remove(partition: IndexPartition, removals: readonly Ordered<{ chunkId: ChunkId }>[]): Promise<void> {
    await this.#store.remove(partition, this.#plan, removals);
  }

  async search(partition: ReadablePartition, text: string, { k, filter, chunks, language }: LexicalQuery): Promise<readonly LexicalHit[]> {
    checkK(k);
    return this.#store.readSealed<readonly LexicalHit[]>(partition, [], async (seal) => {
      const asked = this.#analyseQuery(text, readingLanguages(await this.#languages.of(partition), language));
      if (asked.size === 0) return [];
      const points = this.#store.points(this.#plan, partition);
      const query = queryVector(asked, seal);
      return rankedSearch({
        k,
        filter,
        chunks,
        seal,
        among: (selection) => points.among(selection),
        slack: 0,
        ask: (limit, conditions, payload) => points.query({ ...WORDS, query, limit, payload: [TERMS, ...payload] }, conditions),
        score: async (found) => found.flatMap((point) => hitOf(point, asked, seal)),
      });
    });
  }

  /**
   * An estimate: the server ranks but does not sum, so chunks that rank below the best 1,000 count as 0.
   */
  async spread(partition: ReadablePartition, text: string, language?: string): Promise<LexicalSpread> {
    return this.#store.readSealed(partition, NO_LEXICAL_SPREAD, async (seal) => {
      const points = this.#store.points(this.#plan, partition);
      const [count, known] = await Promise.all([points.count(), this.#languages.of(partition)]);
      if (count === 0) return NO_LEXICAL_SPREAD;
      const languages = readingLanguages(known, language);
      const asked = this.#analyseQuery(text, languages);
      if (asked.size === 0) return { ...NO_LEXICAL_SPREAD, count, language: this.#queryLanguage(text, languages) };
      const [found, reach] = await Promise.all([
        points.query({ ...WORDS, query: queryVector(asked, seal), limit: SPREAD_OVER, payload: [] }, []),
        reachIn(points, asked, count, seal),
      ]);
      const scores = found.map(({ score }) => score);
      // Beyond 1,000, zeros are counted, not listed: a partition may hold millions.
      const { mean, deviation } = spreadOf(scores);
      const share = scores.length / count;
      return {
        count,
        mean: mean * share,
        deviation: Math.sqrt(share * (deviation ** 2 + (1 - share) * mean ** 2)),
        ...reach,
        language: this.#queryLanguage(text, languages),
      };
    });
  }

  async select(partition: ReadablePartition, conditions: WordConditions, text: string, language?: string): Promise<SelectedChunks> {
    return this.#store.readSealed<SelectedChunks>(partition, NOTHING, async (seal) => {
      const languages = readingLanguages(await this.#languages.of(partition), language);
      const reading = { own: this.#queryLanguage(text, languages), languages };
      const terms = termConditions(conditions, reading, this.#analyse);
      return selectInPoints(terms, { points: this.#store.points(this.#plan, partition), seal });
    });
  }

  async frequencies(partition: ReadablePartition, words: readonly string[], language?: string): Promise<readonly WordFrequency[]> {
    const nowhere: readonly WordFrequency[] = words.map(() => 0);
    return this.#store.readSealed(partition, nowhere, async (seal) => {
      const languages = readingLanguages(await this.#languages.of(partition), language);
      const terms = await this.#termsOfWords.of(words, languages);
      const points = this.#store.points(this.#plan, partition);
      const found = await frequenciesInPoints(new Set(terms.flatMap((own = []) => own)), { points, seal });
      return terms.map((own) => own && Math.max(0, ...own.map((term) => found.get(term) ?? 0)));
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

  purge(): Promise<void> {
    return this.#store.purge();
  }

  /** Nothing to do: every write is in the server's log before its call resolves. */
  async flush(): Promise<void> {}

  async close(): Promise<void> {
    this.#store.close();
  }

  #writing(partition: IndexPartition, puts: readonly LexicalPut[]): Writing<LexicalPut> {
    const languages = puts.map(({ language }) => language);
    return { plan: this.#plan, draftOf: (put, seal) => this.#draft(put, seal), before: () => this.#languages.add(partition, languages) };
  }

  #draft(put: LexicalPut, seal: PartitionSeal): Draft {
    const { chunkId, language, attributes } = put;
    const terms = weightedTexts(put).flatMap(({ text, weight }) => repeated(this.#analyse(text, language), weight));
    const distinct = JSON.stringify([...new Set(terms)]);
    // A chunk without terms has no vector: it is counted and listed, but never found.
    const vector = terms.length === 0 ? {} : { [TERMS]: documentVector(terms, this.#shape, seal) };
    return {
      chunkId,
      attributes,
      vector,
      bytes: 35 * terms.length + distinct.length,
      digest: lexicalDigest(put),
      payload: { [TERMS]: distinct },
    };
  }
}

const repeated = (terms: readonly string[], times: number): readonly string[] => Array.from({ length: times }, () => terms).flat();

const NOTHING: SelectedChunks = { chunks: { only: new Uint32Array() }, count: 0, ignored: [] };

/** No result for a chunk that only shares the number of a term, and none for a point that another program has written. */
const hitOf = (point: FoundPoint, asked: ReadonlyMap<string, number>, seal: PartitionSeal): readonly LexicalHit[] => {
  const { chunkId, score } = point;
  const held = heldTerms(point, seal);
  const terms = [...asked.keys()].filter((term) => held.has(term));
  return terms.length === 0 ? [] : [{ chunkId, score, terms }];
};

/**
 * The most that the query can reach. The server does not say how rare a word is, but multiplies by it: the score of the best chunk for
 * the word alone, divided by the weight that the word has there.
 */
const reachIn = async (
  points: PartitionPoints,
  asked: ReadonlyMap<string, number>,
  count: number,
  seal: PartitionSeal,
): Promise<Pick<LexicalSpread, 'attainable' | 'known'>> => {
  const words = [...asked];
  const best = await points.queryEach(
    words.map(([term]) => ({ ...WORDS, query: queryVector(new Map([[term, 1]]), seal), limit: 1, payload: [], withVector: true })),
  );
  let [attainable, ofKnown] = [0, 0];
  for (const [i, [term, frequency]] of words.entries()) {
    const [point] = best[i] ?? [];
    const factor = point && point.score / weightIn(point.vector, TERMS, termIndex(term, seal));
    const most = frequency * rarity(count, factor);
    attainable += most;
    if (point) ofKnown += most;
  }
  return { attainable, known: attainable > 0 ? ofKnown / attainable : 0 };
};
