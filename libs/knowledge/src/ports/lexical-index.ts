import type { Attributes } from '../access/filter.ts';
import type { ChunkId } from '../values/ids.ts';
import type { Position } from '../values/position.ts';
import type { IndexPartition, IndexQuery, IndexRemoval, IndexStore, ReadablePartition } from './index-partition.ts';
import { NO_SPREAD, type ScoreSpread } from './score-spread.ts';

/** `language`: ISO 639-1 code or `und`; chooses the stemmer. Replaces an older put. */
export type LexicalPut = Readonly<{ write: 'put'; chunkId: ChunkId; text: string; language: string; attributes: Attributes }>;

/** `score`: BM25, over the statistics of this partition alone. `terms`: the analysed query terms that the chunk holds. */
export type LexicalHit = Readonly<{ chunkId: ChunkId; score: number; terms: readonly string[] }>;

/**
 * `deviation` is what it would be if the words of the query occurred independently of each other: exact for one word, and known
 * without scoring every chunk.
 */
export type LexicalSpread = ScoreSpread &
  Readonly<{
    /**
     * The score of a chunk that holds every word of the query as often as a score can tell; words that no chunk holds count as the
     * rarest. Scores divided by it compare between partitions whose words have other frequencies.
     */
    attainable: number;
    /** The language that the query was read in: the one that is named, if chunks are in it; else of those in the partition the one that fits it best, or `und`. */
    language: string;
  }>;

export const NO_LEXICAL_SPREAD: LexicalSpread = { ...NO_SPREAD, attainable: 0, language: 'und' };

/** `language`: of the query (ISO 639-1), where the caller names it. */
export type LexicalQuery = IndexQuery & Readonly<{ language?: string }>;

/** The languages to read a query in: all that chunks are in, unless one of these is named. Chunks without a language are always met. */
export const readingLanguages = (languages: readonly string[], named: string | undefined): readonly string[] =>
  named !== undefined && languages.includes(named) ? languages.filter((language) => language === named || language === 'und') : languages;

/** Best matches by BM25: `search` returns exactly the k best of an exhaustive scoring (checked by `describeLexicalIndex`). */
export interface LexicalIndex extends IndexStore {
  /**
   * These puts, as the same objects in this order, will soon come with `apply`: an index may begin to work on them. Nothing that is
   * seen depends on it, and they may as well not come.
   */
  expect?(puts: readonly LexicalPut[]): void;
  apply(partition: IndexPartition, writes: readonly (LexicalPut | IndexRemoval)[], upTo: Position): Promise<void>;
  search(partition: ReadablePartition, text: string, query: LexicalQuery): Promise<readonly LexicalHit[]>;
  spread(partition: ReadablePartition, text: string, language?: string): Promise<LexicalSpread>;
}
