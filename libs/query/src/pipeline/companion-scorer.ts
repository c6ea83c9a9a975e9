import { selectionIds } from '@palimpsest/contracts';
import { Unavailable } from '@palimpsest/knowledge/errors';
import type { EmbeddingProviders } from '@palimpsest/knowledge/ports';
import { standardScore } from '@palimpsest/knowledge/read-models';
import type { EmbeddingVersion } from '@palimpsest/knowledge/values';
import type { KnownOfQuery } from './embed-query.ts';
import { rewrittenVector } from './rewritten-vector.ts';
import type { Scorer, ScorerNeeds } from './scorer.ts';
import type { SearchTarget } from './search-targets.ts';

/**
 * Scores hits by the stored vectors of a second model: those of the companion of their scope. Only the query is embedded. A hit has no score
 * if its scope has no companion, or if the model refused its text, or was missing when it was indexed. Cosines of several models are
 * compared by how far they stand out in their scopes.
 */
export const companionScorer = (providers: EmbeddingProviders, { vectors: known }: Pick<KnownOfQuery, 'vectors'>): Scorer => {
  const vectorOf = async (version: EmbeddingVersion, { request, access, rewriting, queryVectors }: ScorerNeeds): Promise<Float32Array> => {
    const present = queryVectors.get(version) ?? known?.get(version);
    if (present) return present;
    const provider = providers.of(version, access.tenant);
    if (!provider) throw new Unavailable(`the model ${version} of a companion is not configured here`, { forCallers: true });
    return rewrittenVector(provider, request.query, rewriting);
  };
  return {
    name: ({ wanted: { searchable } }) =>
      [...new Set(companionsOf(searchable).map(({ embeddingVersion }) => embeddingVersion))].join(' + ') || undefined,
    missing: 'no searched scope has a companion for its chunks',
    score: async (state, hits) => {
      const { vectors } = state.view;
      const hitsOf = Map.groupBy(hits, ({ chunk: { scope } }) => scope);
      const searched = companionsOf(state.wanted.searchable).flatMap((companion) => {
        const chunks = hitsOf.get(companion.partition.scope.scope)?.map(({ chunkId }) => chunkId);
        return chunks ? [{ ...companion, chunks }] : [];
      });
      const versions = [...new Set(searched.map(({ embeddingVersion }) => embeddingVersion))];
      const made = new Map(await Promise.all(versions.map(async (version) => [version, await vectorOf(version, state)] as const)));
      const found = await Promise.all(
        searched.map(async ({ partition, embeddingVersion, chunks }) => {
          const vector = made.get(embeddingVersion) ?? new Float32Array();
          const nearest = await vectors.search(partition, vector, { k: chunks.length, chunks: { only: selectionIds(chunks) } });
          if (versions.length === 1) return nearest;
          const spread = await vectors.spread(partition, vector);
          return nearest.map(({ chunkId, score }) => ({ chunkId, score: standardScore(score, spread) }));
        }),
      );
      const scoreOf = new Map(found.flat().map(({ chunkId, score }) => [chunkId, score]));
      if (hits.length > 0 && scoreOf.size === 0) throw new Unavailable('it has no vector of these results', { forCallers: true });
      return {
        scores: hits.map(({ chunkId }) => scoreOf.get(chunkId)),
        queryVectors: new Map([...state.queryVectors, ...made]),
      };
    },
  };
};

const companionsOf = (searchable: readonly SearchTarget[]) => searchable.flatMap(({ companion }) => companion ?? []);
