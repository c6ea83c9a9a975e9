import type { ChunkId } from '@palimpsest/knowledge';

export type Scored = Readonly<{ chunkId: ChunkId; score: number }>;

/**
 * `score` is the search's own: cosine or BM25. `standard` is what candidates of different models and indexes are compared by: how
 * many standard deviations the score lies above the mean of all scores of its kind.
 */
export type Candidate = Scored & Readonly<{ standard: number }>;

/** Best first by `standard`. A chunk that a list names twice counts where it stands first. `absent`: the standard score of a chunk that is not in it. */
export type RankedList<Hit extends Candidate = Candidate> = Readonly<{ hits: readonly Hit[]; absent: number }>;

export type RankedLists = Readonly<{ dense: RankedList; lexical: RankedList }>;

export const EMPTY_LIST = { hits: [], absent: 0 } as const satisfies RankedList;

/** Best first, equal scores by chunk id: the same lists always give the same order. */
export const byScoreThenId = (one: Scored, other: Scored): number => other.score - one.score || byId(one, other);

/** The same for candidates. */
export const byStandardThenId = (one: Candidate, other: Candidate): number => other.standard - one.standard || other.score - one.score || byId(one, other);

const byId = (one: Scored, other: Scored): number => (one.chunkId < other.chunkId ? -1 : one.chunkId > other.chunkId ? 1 : 0);
