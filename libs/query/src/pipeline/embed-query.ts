import { EmbeddingModelMismatch } from '@palimpsest/knowledge/errors';
import { rewrittenVector } from './rewritten-vector.ts';
import type { Rewriting, RecordedRewriting } from './rewriting.ts';
import type { Reranking } from './reranking.ts';
import type { EmbeddingProviders } from '@palimpsest/knowledge/ports';
import { NO_SPREAD, type ScoreSpread } from '@palimpsest/knowledge/read-models';
import type { EmbeddingVersion, VectorScope } from '@palimpsest/knowledge/values';
import type { Background } from './background.ts';
import type { Embedded, Rewritten, SearchStart, Targeted } from './search-state.ts';
import type { Stage } from './stage.ts';

/**
 * What a search that is run again knows about its query. Missing vectors, weights and backgrounds are computed. `reranking`: the recorded
 * one. `rewriting`: the same, with its texts if they were recorded.
 */
export type KnownOfQuery = Readonly<{
  vectors?: ReadonlyMap<EmbeddingVersion, Float32Array>;
  denseWeights?: ReadonlyMap<VectorScope, number>;
  backgrounds?: ReadonlyMap<EmbeddingVersion, ScoreSpread>;
  reranking?: Reranking;
  rewriting?: RecordedRewriting & Partial<Pick<Rewriting, 'texts'>>;
}>;

type Needs = Pick<SearchStart, 'request' | 'access'> & Pick<Targeted, 'wanted'> & Rewritten;

/**
 * The vector of the query and its rewriting for each embedding version of the targets; versions are never compared. Targets whose model is
 * missing here are searched by words only. @throws EmbeddingModelMismatch if the search is by vectors only and the model of a target is missing
 */
export const embedQuery = (
  providers: EmbeddingProviders,
  background: Background,
  { vectors: known, backgrounds: knownBackgrounds }: KnownOfQuery = {},
): Stage<Needs, Embedded> => ({
  name: 'embed',
  unless: {
    holds: ({ request, wanted }) => request.strategy === 'SparseOnly' || wanted.searchable.length === 0,
    add: () => ({ queryVectors: new Map(), backgrounds: new Map() }),
  },
  run: async ({ request: { query, strategy }, access: { tenant }, wanted: { searchable }, rewriting }) => {
    const versions = [...new Set(searchable.map(({ embeddingVersion }) => embeddingVersion))];
    const models = versions.flatMap((version) => {
      if (known?.has(version)) return [];
      const provider = providers.of(version, tenant);
      if (!provider && strategy === 'DenseOnly') throw new EmbeddingModelMismatch(version, providers.versions());
      return provider ? [{ version, provider }] : [];
    });
    const vectors = await Promise.all(
      models.map(async ({ version, provider }) => [version, await rewrittenVector(provider, query, rewriting)] as const),
    );
    const queryVectors = new Map([...vectors, ...[...(known ?? [])].filter(([version]) => versions.includes(version))]);
    const backgrounds = await Promise.all(
      [...queryVectors].map(async ([version, vector]) => {
        const provider = providers.of(version, tenant);
        const spread = knownBackgrounds?.get(version) ?? (provider === undefined ? NO_SPREAD : await background.spread(provider, vector));
        return [version, spread] as const;
      }),
    );
    return { queryVectors, backgrounds: new Map(backgrounds) };
  },
  count: ({ queryVectors }) => queryVectors.size,
});
