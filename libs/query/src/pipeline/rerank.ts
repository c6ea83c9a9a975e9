import { Unavailable } from '@palimpsest/knowledge/errors';
import type { Reranking } from './reranking.ts';
import type { Reranker } from '@palimpsest/knowledge/models';
import { blend, whyFlat } from '../ranking/blend.ts';
import type { SearchRequest } from '../search/search-request.ts';
import type { KnownOfQuery } from './embed-query.ts';
import { rankedIn } from './ranked-hit.ts';
import type { Opened, Reranked, SearchStart } from './search-state.ts';
import type { Stage } from './stage.ts';

/** `candidates`: how many results it scores at least. `weight`: of its scores, between 0 and 1. `ms`: how long a search waits for it. */
export type ConfiguredReranker = Readonly<{ reranker: Reranker; candidates: number; weight: number; ms: number }>;

type Known = Pick<KnownOfQuery, 'reranking'>;
type Needs = Pick<SearchStart, 'request'> & Opened;

const DEFAULT_CANDIDATES = 30;

/** How many hits are opened: those that the caller gets, or more if a reranker chooses among them. */
export const manyToOpen =
  (configured: ConfiguredReranker | undefined, { reranking }: Known = {}) =>
  ({ strategy, topK }: Pick<SearchRequest, 'strategy' | 'topK'>): number =>
    strategy === 'DenseSparseRerank' ? Math.max(topK, reranking?.candidates ?? configured?.candidates ?? DEFAULT_CANDIDATES) : topK;

/**
 * Orders the opened hits by a blend of their scores and those of a reranker. It leaves the order as it is when the reranker cannot tell
 * the hits apart, fails, or takes too long, and says so. A search that is run again has the weight of its record, and is reranked only if
 * it was, and by the same reranker.
 */
export const rerank = (configured: ConfiguredReranker | undefined, { reranking: recorded }: Known = {}): Stage<Needs, Reranked> => {
  const reranker = configured?.reranker;
  const named = { reranker: recorded?.reranker ?? reranker?.version ?? 'none', weight: recorded?.weight ?? configured?.weight ?? 0 };
  const refusal = whyNot(reranker, recorded);
  return {
    name: 'rerank',
    unless: { holds: ({ request }) => request.strategy !== 'DenseSparseRerank', add: ({ opened }) => ({ opened }) },
    run: async ({ request, opened }, { signal }) => {
      if (reranker === undefined || refusal !== undefined) throw new Unavailable(refusal ?? NOT_CONFIGURED, { forCallers: true });
      const passages = opened.map(({ chunk: { title }, text: { contextPrefix: context, text } }) => ({ title, context, text }));
      const scores = await reranker.score(request.query, passages, signal);
      const flat = whyFlat(scores);
      if (flat !== undefined) return { opened, reranked: { ...named, outcome: 'abstained', candidates: opened.length, reason: flat } };
      const blended = blend(opened, scores, { weight: named.weight, name: named.reranker });
      return { opened: rankedIn('rerank', blended), reranked: { ...named, outcome: 'blended', candidates: opened.length } };
    },
    count: ({ opened }) => opened.length,
    otherwise: ({ opened }, reason) => ({ opened, reranked: { ...named, outcome: 'skipped', candidates: opened.length, reason } }),
    ...(configured === undefined ? {} : { budget: { ms: configured.ms } }),
  };
};

const NOT_CONFIGURED = 'no reranker is configured here';

const whyNot = (reranker: Reranker | undefined, recorded: Reranking | undefined): string | undefined => {
  if (recorded?.outcome === 'skipped') return recorded.reason ?? 'it was skipped';
  if (reranker === undefined) return NOT_CONFIGURED;
  return recorded !== undefined && recorded.reranker !== reranker.version
    ? `the reranker ${recorded.reranker} is not configured here any more, but ${reranker.version}`
    : undefined;
};
