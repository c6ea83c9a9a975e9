import type { ChunkId, EmbeddingVersion } from '@palimpsest/knowledge/values';
import { DENSE_WEIGHT, FOREIGN_DENSE_WEIGHT } from '../ranking/fusion.ts';
import type { SearchTarget } from './search-targets.ts';

type ScopedCandidate = Readonly<{ chunkId: ChunkId; scopeAt: number }>;

/**
 * Weight of the cosines of each target: lower when the model of its scope does not know the language in which the query was analysed
 * there. If the model or the index reports no language, the default weight applies. 0 if the query has no vector of that model
 * (`modelOf` returns undefined): all chunks of the target have their words only.
 *
 * `known`: the share of the query, 0 to 1, whose words occur at all. The rest of the words say nothing about any chunk, so their part of
 * the weight goes to the cosines, unless the model does not know the language either (docs/explanation/quality.md).
 */
export const denseWeights = (
  searchable: readonly SearchTarget[],
  { languages, known }: Readonly<{ languages: readonly string[]; known: number }>,
  modelOf: (version: EmbeddingVersion) => Readonly<{ languages?: readonly string[] }> | undefined,
): readonly number[] =>
  searchable.map(({ embeddingVersion }, scopeAt) => {
    const language = languages[scopeAt] ?? 'und';
    const model = modelOf(embeddingVersion);
    if (model === undefined) return 0;
    const fits = language === 'und' || model.languages === undefined || model.languages.includes(language);
    return fits ? 1 - (1 - DENSE_WEIGHT) * known : FOREIGN_DENSE_WEIGHT;
  });

/** The weight of a candidate is that of its target. */
export const denseWeightOf = (weights: readonly number[], candidates: readonly ScopedCandidate[]): ((chunkId: ChunkId) => number) => {
  const scopeOf = new Map(candidates.map(({ chunkId, scopeAt }) => [chunkId, scopeAt]));
  return (chunkId) => weights[scopeOf.get(chunkId) ?? 0] ?? DENSE_WEIGHT;
};
