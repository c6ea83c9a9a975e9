import type { ChunkId } from '@palimpsest/knowledge/values';

export type Scored = Readonly<{ chunkId: ChunkId; score: number }>;

/**
 * `score` is that of the search: cosine or BM25. `standard` makes candidates of different models and indexes comparable: the number
 * of standard deviations that the score is above the mean of all scores of its kind.
 */
export type Candidate = Scored & Readonly<{ standard: number }>;

/** Best first by `standard`; of duplicates the better rank counts. `absent`: the standard score of a chunk that is not in the list. */
export type RankedList<Hit extends Candidate = Candidate> = Readonly<{ hits: readonly Hit[]; absent: number }>;

export type RankedLists = Readonly<{ dense: RankedList; lexical: RankedList }>;

export const EMPTY_LIST = { hits: [], absent: 0 } as const satisfies RankedList;

/** Best first, ties by chunk id: the same lists always have the same order. */
export const byScoreThenId = (one: Scored, other: Scored): number => other.score - one.score || byId(one, other);

/** Like `byScoreThenId`, for candidates. */
export const byStandardThenId = (one: Candidate, other: Candidate): number =>
  other.standard - one.standard || other.score - one.score || byId(one, other);

const byId = (one: Scored, other: Scored): number => (one.chunkId < other.chunkId ? -1 : one.chunkId > other.chunkId ? 1 : 0);
