import { embedQuery as vectorOf } from '@palimpsest/contracts';
import { EmbeddingModelMismatch } from '@palimpsest/knowledge/errors';
import type { Reranking } from './reranking.ts';
import type { EmbeddingProviders } from '@palimpsest/knowledge/ports';
import type { EmbeddingVersion, VectorScope } from '@palimpsest/knowledge/values';
import type { Embedded, SearchStart, Targeted } from './search-state.ts';
import type { Stage } from './stage.ts';

/** What a search that is run again knows about its query. Missing vectors and weights are computed. `reranking`: the recorded one. */
export type KnownOfQuery = Readonly<{
  vectors?: ReadonlyMap<EmbeddingVersion, Float32Array>;
  denseWeights?: ReadonlyMap<VectorScope, number>;
  reranking?: Reranking;
}>;

type Needs = Pick<SearchStart, 'request' | 'access'> & Pick<Targeted, 'wanted'>;

/**
 * The query's vector for each embedding version of the targets; versions are never compared. Targets whose model is missing here are
 * searched by words only. @throws EmbeddingModelMismatch if the search is by vectors only and the model of a target is missing
 */
export const embedQuery = (providers: EmbeddingProviders, { vectors: known }: KnownOfQuery = {}): Stage<Needs, Embedded> => ({
  name: 'embed',
  unless: {
    holds: ({ request, wanted }) => request.strategy === 'SparseOnly' || wanted.searchable.length === 0,
    add: () => ({ queryVectors: new Map() }),
  },
  run: async ({ request: { query, strategy }, access: { tenant }, wanted: { searchable } }) => {
    const versions = [...new Set(searchable.map(({ embeddingVersion }) => embeddingVersion))];
    const models = versions.flatMap((version) => {
      if (known?.has(version)) return [];
      const provider = providers.of(version, tenant);
      if (!provider && strategy === 'DenseOnly') throw new EmbeddingModelMismatch(version, providers.versions());
      return provider ? [{ version, provider }] : [];
    });
    const vectors = await Promise.all(models.map(async ({ version, provider }) => [version, await vectorOf(provider, query)] as const));
    return { queryVectors: new Map([...vectors, ...[...(known ?? [])].filter(([version]) => versions.includes(version))]) };
  },
  count: ({ queryVectors }) => queryVectors.size,
});
