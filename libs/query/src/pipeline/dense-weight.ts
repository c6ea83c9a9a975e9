import type { ChunkId, EmbeddingVersion } from '@palimpsest/knowledge/values';
import { DENSE_WEIGHT, FOREIGN_DENSE_WEIGHT } from '../ranking/fusion.ts';
import type { SearchTarget } from './search-targets.ts';

type ScopedCandidate = Readonly<{ chunkId: ChunkId; scopeAt: number }>;

/**
 * Weight of the cosines of each target: lower when the model of its scope does not know the language in which the query was analysed
 * there. If the model or the index reports no language, the default weight applies.
 */
export const denseWeights = (
  searchable: readonly SearchTarget[],
  languages: readonly string[],
  languagesOf: (version: EmbeddingVersion) => readonly string[] | undefined,
): readonly number[] =>
  searchable.map(({ embeddingVersion }, scopeAt) => {
    const language = languages[scopeAt] ?? 'und';
    const known = languagesOf(embeddingVersion);
    return language === 'und' || known === undefined || known.includes(language) ? DENSE_WEIGHT : FOREIGN_DENSE_WEIGHT;
  });

/** The weight of a candidate is that of its target. */
export const denseWeightOf = (weights: readonly number[], candidates: readonly ScopedCandidate[]): ((chunkId: ChunkId) => number) => {
  const scopeOf = new Map(candidates.map(({ chunkId, scopeAt }) => [chunkId, scopeAt]));
  return (chunkId) => weights[scopeOf.get(chunkId) ?? 0] ?? DENSE_WEIGHT;
};
