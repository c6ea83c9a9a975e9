import { Unavailable } from '@palimpsest/knowledge/errors';
import type { Reranking } from './reranking.ts';
import type { Reranker } from '@palimpsest/knowledge/models';
import { blend, movedBelow, whyFlat } from '../ranking/blend.ts';
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

/** How many of the best hits are reranked: those that the caller gets, or more. 0 for other strategies. */
export const manyToRerank =
  (configured: ConfiguredReranker | undefined, { reranking }: Known = {}) =>
  ({ strategy, topK }: Pick<SearchRequest, 'strategy' | 'topK'>): number =>
    strategy === 'DenseSparseRerank' ? Math.max(topK, reranking?.candidates ?? configured?.candidates ?? DEFAULT_CANDIDATES) : 0;

/**
 * Orders the opened hits by a blend of their scores and those of a reranker. It leaves the order as it is when the reranker cannot tell
 * the hits apart, fails, or takes too long, and says so. A search that is run again has the weight of its record, and is reranked only if
 * it was, and by the same reranker.
 */
export const rerank = (configured: ConfiguredReranker | undefined, { reranking: recorded }: Known = {}): Stage<Needs, Reranked> => {
  const reranker = configured?.reranker;
  const named = { reranker: recorded?.reranker ?? reranker?.version ?? 'none', weight: recorded?.weight ?? configured?.weight ?? 0 };
  const refusal = whyNot(reranker, recorded);
  const many = manyToRerank(configured, { ...(recorded ? { reranking: recorded } : {}) });
  return {
    name: 'rerank',
    unless: { holds: ({ request }) => request.strategy !== 'DenseSparseRerank', add: ({ opened }) => ({ opened }) },
    run: async ({ request, opened }, { signal }) => {
      if (reranker === undefined || refusal !== undefined) throw new Unavailable(refusal ?? NOT_CONFIGURED, { forCallers: true });
      // Later stages may have asked for more texts.
      const [best, rest] = [opened.slice(0, many(request)), opened.slice(many(request))];
      const passages = best.map(({ chunk: { title }, text: { contextPrefix: context, text } }) => ({ title, context, text }));
      const scores = await reranker.score(request.query, passages, signal);
      const flat = whyFlat(scores);
      if (flat !== undefined) return { opened, reranked: { ...named, outcome: 'abstained', candidates: best.length, reason: flat } };
      const blended = blend(best, scores, { weight: named.weight, name: named.reranker });
      const below = movedBelow(rest, blended.at(-1)?.score ?? 0);
      return { opened: [...rankedIn('rerank', blended), ...below], reranked: { ...named, outcome: 'blended', candidates: best.length } };
    },
    count: ({ reranked }) => reranked?.candidates ?? 0,
    otherwise: ({ request, opened }, reason) => {
      const candidates = Math.min(opened.length, many(request));
      return { opened, reranked: { ...named, outcome: 'skipped', candidates, reason } };
    },
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
