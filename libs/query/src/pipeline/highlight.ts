import { hitOf } from './search-hit.ts';
import type { FoundByWords, Highlighted, Opened, SearchStart } from './search-state.ts';
import type { Stage } from './stage.ts';

/** The best `topK` hits as the caller gets them, each with a snippet around the words that matched. */
export const highlight: Stage<Pick<SearchStart, 'request'> & FoundByWords & Opened, Highlighted> = {
  name: 'snippets',
  run: ({ request, lexical, opened }, { skipped }) => {
    const terms = new Map(lexical.hits.map((hit) => [hit.chunkId, hit.terms]));
    return {
      hits: opened.slice(0, request.topK).map((hit, i) => hitOf(i + 1, hit, terms.get(hit.chunkId) ?? [], { ...request, skipped })),
    };
  },
  count: ({ hits }) => hits.length,
};
