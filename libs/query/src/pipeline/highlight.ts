import { hitOf, type SearchedGeneration } from './search-hit.ts';
import type { SearchTarget } from './search-targets.ts';
import type { FoundByWords, Highlighted, Opened, SearchStart, Targeted } from './search-state.ts';
import type { Stage } from './stage.ts';

/** The best `topK` hits as the caller gets them, each with a snippet around the words that matched. */
export const highlight: Stage<Pick<SearchStart, 'request'> & Pick<Targeted, 'wanted'> & FoundByWords & Opened, Highlighted> = {
  name: 'snippets',
  run: ({ request, wanted: { searchable }, lexical, opened }, { skipped }) => {
    const terms = new Map(lexical.hits.map((hit) => [hit.chunkId, hit.terms]));
    const generations = new Map(searchable.map((target) => [target.scope.scope, searchedGeneration(target)]));
    return {
      hits: opened.slice(0, request.topK).flatMap((hit, i) => {
        const generation = generations.get(hit.chunk.scope);
        // Never missing: a hit comes from a searched scope.
        return generation ? [hitOf(i + 1, hit, terms.get(hit.chunkId) ?? [], { ...request, skipped, generation })] : [];
      }),
    };
  },
  count: ({ hits }) => hits.length,
};

const searchedGeneration = ({ partition: { generation }, embeddingVersion, canary }: SearchTarget): SearchedGeneration => ({
  ...{ generation, embeddingVersion },
  ...(canary === undefined ? {} : { canary }),
});
