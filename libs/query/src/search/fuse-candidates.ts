import type { ChunkId, LexicalHit, VectorHit } from '@palimpsest/knowledge';
import { byScore } from './candidates.ts';
import type { SearchRequest } from './search-request.ts';

/** A score as a sum that can be read. */
export type Explanation = Readonly<{ label: string; value: number; parts?: readonly Explanation[] }>;
export type Ranking = Readonly<{ rank: number; score: number }>;
export type FusedHit = Readonly<{ chunkId: ChunkId; score: number; fusion: Explanation; dense?: Ranking; lexical?: Ranking }>;

/** Cormack, Clarke, Büttcher: Reciprocal Rank Fusion (SIGIR 2009): sum over the lists of 1 / (k + rank). */
const RRF_K = 60;
export const fuseCandidates = (dense: readonly VectorHit[], lexical: readonly LexicalHit[], _request: SearchRequest): readonly FusedHit[] => {
  const found = new Map<ChunkId, { dense?: Ranking; lexical?: Ranking }>();
  dense.forEach(({ chunkId, score }, i) => found.set(chunkId, { ...found.get(chunkId), dense: { rank: i + 1, score } }));
  lexical.forEach(({ chunkId, score }, i) => found.set(chunkId, { ...found.get(chunkId), lexical: { rank: i + 1, score } }));
  return [...found].map(([chunkId, ranks]): FusedHit => {
    const value = (ranks.dense ? 1 / (RRF_K + ranks.dense.rank) : 0) + (ranks.lexical ? 1 / (RRF_K + ranks.lexical.rank) : 0);
    return { chunkId, score: value, fusion: { label: 'rrf', value }, ...ranks };
  }).sort(byScore);
};
