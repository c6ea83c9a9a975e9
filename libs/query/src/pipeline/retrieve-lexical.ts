import { pooledSpread, standardScore, type LexicalSearch } from '@palimpsest/knowledge/read-models';
import { EMPTY_LIST } from '../ranking/ranked-list.ts';
import type { SearchRequest } from '../search/search-request.ts';
import { bestOfScopes } from './best-of-scopes.ts';
import type { FoundByWords, Spelled, Targeted, Worded } from './search-state.ts';
import type { Stage } from './stage.ts';
import { bestOfWordings, worded } from './wordings-of-scope.ts';

type Needs = Readonly<{ request: Pick<SearchRequest, 'query' | 'strategy'>; view: Readonly<{ lexical: LexicalSearch }> }> &
  Pick<Targeted, 'wanted'> &
  Partial<Pick<Worded, 'wordings'> & Pick<Spelled, 'corrected'>>;

/**
 * Best BM25 matches over all scopes. A word is rare or frequent within its scope, so scores are compared as fractions of the maximum
 * that the query could reach there. With synonyms, each wording of the query is searched.
 */
export const retrieveLexical: Stage<Needs, FoundByWords> = {
  name: 'lexical',
  unless: {
    holds: ({ request, wanted }) => request.strategy === 'DenseOnly' || wanted.searchable.length === 0,
    add: () => ({ lexical: EMPTY_LIST, languages: [], known: 1 }),
  },
  run: async ({ view: { lexical }, request, corrected: text = request.query, wanted, wordings }) => {
    const searched = await Promise.all(
      wanted.searchable.map(async (one, scopeAt) => {
        const texts = wordings?.[scopeAt] ?? [text];
        const spreads = await Promise.all(texts.map((wording) => lexical.spread(one.partition, wording, wanted.language)));
        return { ...one, scopeAt, ...worded(texts, spreads) };
      }),
    );
    const spread = pooledSpread(searched.map(({ fractions }) => fractions));
    const named = wanted.language === undefined ? {} : { language: wanted.language };
    const hits = await bestOfScopes(wanted, searched, async ({ partition, wordings: each }, query) => {
      const found = await bestOfWordings(each, (wording) => lexical.search(partition, wording, { ...query, ...named }));
      return found.map(({ fraction, ...hit }) => ({ ...hit, standard: standardScore(fraction, spread), share: Math.min(1, fraction) }));
    });
    return {
      lexical: { hits, absent: standardScore(0, spread) },
      languages: searched.map(({ wordings: [query] }) => wanted.language ?? query?.spread.language ?? 'und'),
      // One share for all scopes: with one for each, the scores of two scopes would not compare.
      known: Math.max(...searched.flatMap(({ wordings: each }) => each.map((wording) => wording.spread.known))),
    };
  },
  count: ({ lexical }) => lexical.hits.length,
};
