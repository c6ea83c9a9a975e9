import type { Reranker } from '@palimpsest/knowledge/models';
import type { OpenedHit } from './opened-hit.ts';
import type { Embedded, Opened, Rewritten, SearchStart, Targeted } from './search-state.ts';

export type ScorerNeeds = Pick<SearchStart, 'request' | 'access' | 'view'> & Pick<Targeted, 'wanted'> & Rewritten & Embedded & Opened;

/** `scores`: one for each hit, undefined where the scorer knows nothing of it. `queryVectors`: all of the search, if the scorer made more. */
export type Scored = Readonly<{ scores: readonly (number | undefined)[] }> & Partial<Pick<Embedded, 'queryVectors'>>;

/** What a reranked search gets its second scores from. `name`: with its version; undefined if it can score nothing in the searched scopes. */
export type Scorer = Readonly<{
  name: (state: ScorerNeeds) => string | undefined;
  /** Why it has no name. */
  missing: string;
  /** @throws Unavailable, Overloaded */
  score: (state: ScorerNeeds, hits: readonly OpenedHit[], signal?: AbortSignal) => Promise<Scored>;
}>;

/** A reranker reads the texts. */
export const readingScorer = (reranker: Reranker | undefined): Scorer => ({
  name: () => reranker?.version,
  missing: 'no reranker is configured here',
  score: async ({ request: { query } }, hits, signal) => {
    const passages = hits.map(({ chunk: { title }, text: { contextPrefix: context, text } }) => ({ title, context, text }));
    return { scores: (await reranker?.score(query, passages, signal)) ?? [] };
  },
});
