import type { Ranking } from './judgements.ts';

/** One line of a run: a document that a search returned, with its score. */
export type ScoredDocument = Readonly<{ id: string; score: number }>;

/**
 * Orders documents as trec_eval does, whatever order they come in: by score, higher first, and equal scores by document id, in descending
 * order of bytes. trec_eval stores scores as 32-bit floats, so scores that differ only beyond that are equal.
 */
export const rankByScore = (documents: readonly ScoredDocument[]): Ranking =>
  documents
    .map(({ id, score }) => ({ id, score: Math.fround(score) }))
    .sort((a, b) => b.score - a.score || Buffer.compare(Buffer.from(b.id), Buffer.from(a.id)))
    .map(({ id }) => id);
