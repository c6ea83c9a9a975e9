import type { ChunkId } from '@palimpsest/knowledge/values';
import type { Explanation, Ranking } from '../ranking/fusion.ts';

/** The rank and score of a hit in each stage that ranked it. */
export type HitStages = Readonly<{ dense?: Ranking; lexical?: Ranking; [stage: string]: Ranking | undefined }>;

/** `score`: that of the last stage that ranked the hit. `explained`: the sum that fusion computed. */
export type RankedHit = Readonly<{ chunkId: ChunkId; score: number; stages: HitStages; explained: () => Explanation }>;

/** The hits, best first, with their ranks and scores in this stage. */
export const rankedIn = <Hit extends RankedHit>(stage: string, hits: readonly Hit[]): readonly Hit[] =>
  hits.map((hit, i) => ({ ...hit, stages: { ...hit.stages, [stage]: { rank: i + 1, score: hit.score } } }));
