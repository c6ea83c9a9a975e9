import type { Attributes } from '../access/filter.ts';
import type { ChunkId } from '../values/ids.ts';
import type { LexicalFields } from '../values/lexical-fields.ts';
import type { Position } from '../values/position.ts';
import type { IndexPartition, IndexQuery, IndexRemoval, IndexStore, ReadablePartition } from './index-partition.ts';
import { NO_SPREAD, type ScoreSpread } from './score-spread.ts';
import type { SelectedChunks, WordConditions } from './word-conditions.ts';
import type { WordFrequency } from './word-frequencies.ts';

/** `language`: ISO 639-1 code or `und`; selects the stemmer. Replaces an older put of the chunk. */
export type LexicalPut = Readonly<{
  write: 'put';
  chunkId: ChunkId;
  text: string;
  fields?: LexicalFields;
  language: string;
  attributes: Attributes;
}>;

/** `score`: BM25 with the statistics of this partition only. `terms`: the analysed query terms that the chunk contains. */
export type LexicalHit = Readonly<{ chunkId: ChunkId; score: number; terms: readonly string[] }>;

/**
 * `deviation` assumes that the query words occur independently of each other. It is exact for one word, and computed without scoring
 * every chunk.
 */
export type LexicalSpread = ScoreSpread &
  Readonly<{
    /**
     * Upper bound of the score: a chunk that contains every query word often enough to saturate BM25. Words that occur in no chunk count
     * as the rarest. Scores divided by it are comparable between partitions with different word frequencies.
     */
    attainable: number;
    /** Share of `attainable`, 0 to 1, of the query words that at least one chunk has; 0 for a query without words. */
    known: number;
    /** Language of the query analysis: the given one if chunks have it, otherwise the best match in the partition, or `und`. */
    language: string;
  }>;

export const NO_LEXICAL_SPREAD: LexicalSpread = { ...NO_SPREAD, attainable: 0, known: 0, language: 'und' };

/** `language`: language of the query (ISO 639-1), if the caller gives one. */
export type LexicalQuery = IndexQuery & Readonly<{ language?: string }>;

/**
 * Languages to analyse a query in: all languages of the chunks, or only `named` if it is one of them. Chunks without a language are
 * always searched.
 */
export const readingLanguages = (languages: readonly string[], named: string | undefined): readonly string[] =>
  named !== undefined && languages.includes(named) ? languages.filter((language) => language === named || language === 'und') : languages;

/** BM25 search. `search` returns exactly the k best results of exhaustive scoring (checked by `describeLexicalIndex`). */
export interface LexicalSearch {
  search(partition: ReadablePartition, text: string, query: LexicalQuery): Promise<readonly LexicalHit[]>;
  spread(partition: ReadablePartition, text: string, language?: string): Promise<LexicalSpread>;
  /**
   * All chunks that satisfy the conditions, for `chunks` of a search in this index or in the vector index. `text`: the query; its language
   * decides which entries are ignored.
   */
  select(partition: ReadablePartition, conditions: WordConditions, text: string, language?: string): Promise<SelectedChunks>;
  /** Of each word, in their order. `language`: of the query. */
  frequencies(partition: ReadablePartition, words: readonly string[], language?: string): Promise<readonly WordFrequency[]>;
}

export interface LexicalIndex extends LexicalSearch, IndexStore {
  /**
   * Announces puts: the same objects in this order will probably follow in `apply`, so the index can start to analyse them. The call has
   * no visible effect, and `apply` may never follow.
   */
  expect?(puts: readonly LexicalPut[]): void;
  apply(partition: IndexPartition, writes: readonly (LexicalPut | IndexRemoval)[], upTo: Position): Promise<void>;
}
