import { pooledSpread, standardScore, type LexicalSearch, type LexicalSpread, type ScoreSpread } from '@palimpsest/knowledge/read-models';
import { EMPTY_LIST } from '../ranking/ranked-list.ts';
import type { SearchRequest } from '../search/search-request.ts';
import { bestOfScopes } from './best-of-scopes.ts';
import type { FoundByWords, Targeted } from './search-state.ts';
import type { Stage } from './stage.ts';

type Needs = Readonly<{ request: Pick<SearchRequest, 'query' | 'strategy'>; view: Readonly<{ lexical: LexicalSearch }> }> &
  Pick<Targeted, 'wanted'>;

/**
 * Best BM25 matches over all scopes. A word is rare or frequent within its scope, so scores are compared as fractions of the maximum
 * that the query could reach there.
 */
export const retrieveLexical: Stage<Needs, FoundByWords> = {
  name: 'lexical',
  unless: {
    holds: ({ request, wanted }) => request.strategy === 'DenseOnly' || wanted.searchable.length === 0,
    add: () => ({ lexical: EMPTY_LIST, languages: [], known: 1 }),
  },
  run: async ({ view: { lexical }, request: { query: text }, wanted }) => {
    const searched = wanted.searchable.map((one, scopeAt) => ({ ...one, scopeAt }));
    const spreads = await Promise.all(searched.map(({ partition }) => lexical.spread(partition, text, wanted.language)));
    const spread = pooledSpread(spreads.map(asFractions));
    const named = wanted.language === undefined ? {} : { language: wanted.language };
    const hits = await bestOfScopes(wanted, searched, async ({ partition, scopeAt }, query) => {
      const attainable = spreads[scopeAt]?.attainable || 1;
      return (await lexical.search(partition, text, { ...query, ...named })).map((hit) => ({
        ...hit,
        standard: standardScore(hit.score / attainable, spread),
        share: Math.min(1, hit.score / attainable),
      }));
    });
    return {
      lexical: { hits, absent: standardScore(0, spread) },
      languages: spreads.map(({ language }) => wanted.language ?? language),
      // One share for all scopes: with one for each, the scores of two scopes would not compare.
      known: Math.max(...spreads.map(({ known }) => known)),
    };
  },
  count: ({ lexical }) => lexical.hits.length,
};

const asFractions = ({ count, mean, deviation, attainable }: LexicalSpread): ScoreSpread =>
  attainable > 0 ? { count, mean: mean / attainable, deviation: deviation / attainable } : { count, mean: 0, deviation: 0 };
