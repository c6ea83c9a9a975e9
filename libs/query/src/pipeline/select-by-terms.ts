import type { LexicalSearch } from '@palimpsest/knowledge/read-models';
import type { SearchRequest } from '../search/search-request.ts';
import type { Selected, Targeted } from './search-state.ts';
import type { Stage } from './stage.ts';

type Needs = Readonly<{ request: Pick<SearchRequest, 'query' | 'terms'>; view: Readonly<{ lexical: LexicalSearch }> }> &
  Pick<Targeted, 'wanted'>;

/**
 * Limits each scope to the chunks with the required and without the excluded words, before either search selects its best. A phrase needs
 * all of its words here; `keepPhrases` compares their order. Its count is the number of chunks that are left.
 */
export const selectByTerms: Stage<Needs, Selected> = {
  name: 'terms',
  unless: {
    holds: ({ request: { terms } }) => terms === undefined,
    add: ({ wanted }) => ({ wanted, ignoredTerms: [], left: 0 }),
  },
  run: async ({ view: { lexical }, request: { query, terms = {} }, wanted }) => {
    const { required = [], excluded = [], phrases = [] } = terms;
    const conditions = { required: [...required, ...phrases], excluded };
    const selections = await Promise.all(
      wanted.searchable.map(({ partition }) => lexical.select(partition, conditions, query, wanted.language)),
    );
    const searchable = wanted.searchable.map((target, i) => ({ ...target, ...(selections[i] && { chunks: selections[i].chunks }) }));
    const ignored = new Set(selections.flatMap((selection) => selection.ignored));
    return {
      wanted: { ...wanted, searchable },
      ignoredTerms: [...new Set([...required, ...excluded])].filter((entry) => ignored.has(entry)),
      left: selections.reduce((sum, { count }) => sum + count, 0),
    };
  },
  count: ({ left }) => left,
};
