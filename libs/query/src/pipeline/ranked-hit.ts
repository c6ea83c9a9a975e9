import type { ChunkId } from '@palimpsest/knowledge/values';
import type { Explanation, Ranking } from '../ranking/fusion.ts';
import type { Evidence } from '../ranking/relevance.ts';

/** `note`: what the stage did with the hit, for people. */
export type StageRanking = Ranking & Readonly<{ note?: string }>;
/** The rank and score of a hit in each stage that ranked it. */
export type HitStages = Readonly<{ dense?: Ranking; lexical?: Ranking; [stage: string]: StageRanking | undefined }>;

/**
 * `score`: that of the last stage that ranked the hit. `relevance`: from 0 to 1, computed from the `evidence`. `explained`: the sum that
 * fusion computed.
 */
export type RankedHit = Readonly<{
  chunkId: ChunkId;
  score: number;
  relevance: number;
  evidence: Evidence;
  stages: HitStages;
  explained: () => Explanation;
}>;

/** The hits, best first, with their ranks and scores in this stage. `detail`: a score of the stage that is not that of the hit, and a note. */
export const rankedIn = <Hit extends RankedHit>(
  stage: string,
  hits: readonly Hit[],
  detail: (hit: Hit) => Readonly<{ score?: number; note?: string }> | undefined = () => undefined,
): readonly Hit[] =>
  hits.map((hit, i) => ({ ...hit, stages: { ...hit.stages, [stage]: { rank: i + 1, score: hit.score, ...detail(hit) } } }));
