import type { AddedSynonyms } from '../ranking/wordings.ts';
import { wordingsOf } from '../ranking/wordings.ts';
import type { SearchRequest } from '../search/search-request.ts';
import type { Spelled, Targeted, Worded } from './search-state.ts';
import type { Stage } from './stage.ts';

type Needs = Readonly<{ request: Pick<SearchRequest, 'query'> }> & Pick<Targeted, 'wanted'> & Partial<Pick<Spelled, 'corrected'>>;

/**
 * The wordings by which each scope is searched: those of the query, as it is corrected, with the synonyms of its knowledge bases. Its count is the number of
 * wordings that are added.
 */
export const addSynonyms: Stage<Needs, Worded> = {
  name: 'synonyms',
  unless: {
    holds: ({ wanted }) => wanted.searchable.every(({ synonyms }) => synonyms === undefined),
    add: () => ({ wordings: [] }),
  },
  run: ({ request: { query }, corrected = query, wanted: { searchable } }) => {
    const worded = searchable.map(({ synonyms = [] }) => wordingsOf(corrected, synonyms));
    const added = merged(worded.flatMap((one) => one.added));
    return {
      wordings: worded.map(({ wordings }) => wordings),
      ...(added.length === 0 ? {} : { synonyms: { added, ...(worded.some((one) => one.limited) ? { limited: true as const } : {}) } }),
    };
  },
  count: ({ wordings }) => wordings.reduce((sum, { length }) => sum + length - 1, 0),
};

/** Of several scopes: each word once. */
const merged = (all: readonly AddedSynonyms[]): readonly AddedSynonyms[] => {
  const byWord = new Map<string, Set<string>>();
  for (const { word, synonyms } of all) byWord.set(word, new Set([...(byWord.get(word) ?? []), ...synonyms]));
  return [...byWord].map(([word, synonyms]) => ({ word, synonyms: [...synonyms] }));
};
