import { NO_SPREAD, pooledSpread, standardScore, type VectorSearch } from '@palimpsest/knowledge/read-models';
import { EMPTY_LIST } from '../ranking/ranked-list.ts';
import { bestOfScopes } from './best-of-scopes.ts';
import type { Embedded, FoundByVector, Targeted } from './search-state.ts';
import type { Stage } from './stage.ts';

type Needs = Readonly<{ view: Readonly<{ vectors: VectorSearch }> }> & Pick<Targeted, 'wanted'> & Embedded;

/**
 * Nearest vectors over all scopes. Cosines of one model are comparable, so its scopes share one spread: a small scope has too few
 * scores for its own. Cosines of different models are not comparable, but their standard scores are.
 */
export const retrieveDense: Stage<Needs, FoundByVector> = {
  name: 'dense',
  unless: { holds: ({ queryVectors }) => queryVectors.size === 0, add: () => ({ dense: EMPTY_LIST }) },
  run: async ({ view: { vectors }, wanted, queryVectors, backgrounds }) => {
    const searched = wanted.searchable.flatMap((one, scopeAt) => {
      const vector = queryVectors.get(one.embeddingVersion);
      return vector === undefined ? [] : [{ ...one, scopeAt, vector }];
    });
    const spreads = await Promise.all(searched.map(({ partition, vector }) => vectors.spread(partition, vector)));
    const spreadOf = new Map(
      [...queryVectors.keys()].map((version) => {
        const ofScopes = spreads.filter((_, i) => searched[i]?.embeddingVersion === version);
        const background = backgrounds.get(version) ?? NO_SPREAD;
        return [version, { ofScopes: pooledSpread(ofScopes), withBackground: pooledSpread([...ofScopes, background]) }];
      }),
    );
    const hits = await bestOfScopes(wanted, searched, async ({ partition, vector, embeddingVersion }, query) => {
      const { ofScopes = NO_SPREAD, withBackground = NO_SPREAD } = spreadOf.get(embeddingVersion) ?? {};
      return (await vectors.search(partition, vector, query)).map((hit) => ({
        ...hit,
        standard: standardScore(hit.score, ofScopes),
        standing: standardScore(hit.score, withBackground),
      }));
    });
    // A chunk that was not found is at most as near as the last one found.
    return { dense: { hits, absent: hits.at(-1)?.standard ?? 0 } };
  },
  count: ({ dense }) => dense.hits.length,
};
