import { Unavailable } from '@palimpsest/knowledge/errors';
import type { Reranker } from '@palimpsest/knowledge/models';
import type { EmbeddingProviders } from '@palimpsest/knowledge/ports';
import { blend, movedBelow, whyFlat } from '../ranking/blend.ts';
import type { SearchRequest } from '../search/search-request.ts';
import { companionScorer } from './companion-scorer.ts';
import type { KnownOfQuery } from './embed-query.ts';
import { rankedIn } from './ranked-hit.ts';
import type { Reranking } from './reranking.ts';
import { readingScorer, type Scorer, type ScorerNeeds } from './scorer.ts';
import type { Reranked } from './search-state.ts';
import type { Stage } from './stage.ts';

/**
 * `reranker`: reads the texts; `companion`: the scores are those of the companions of the searched scopes. `candidates`: how many results it
 * scores at least. `weight`: of its scores, between 0 and 1. `ms`: how long a search waits for it.
 */
export type ConfiguredReranker = Readonly<{ reranker: Reranker | 'companion'; candidates: number; weight: number; ms: number }>;

type Known = Pick<KnownOfQuery, 'reranking' | 'vectors'>;

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
export const rerank = (
  configured: ConfiguredReranker | undefined,
  providers: EmbeddingProviders,
  known: Known = {},
): Stage<ScorerNeeds, Reranked> => {
  const { reranking: recorded } = known;
  const reranker = configured?.reranker;
  const scorer = reranker === 'companion' ? companionScorer(providers, known) : readingScorer(reranker);
  const namedIn = (state: ScorerNeeds) => ({
    reranker: recorded?.reranker ?? scorer.name(state) ?? 'none',
    weight: recorded?.weight ?? configured?.weight ?? 0,
  });
  const many = manyToRerank(configured, known);
  return {
    name: 'rerank',
    unless: { holds: ({ request }) => request.strategy !== 'DenseSparseRerank', add: ({ opened }) => ({ opened }) },
    run: async (state, { signal }) => {
      const { request, opened } = state;
      const refusal = whyNot(scorer, state, recorded);
      if (refusal !== undefined) throw new Unavailable(refusal, { forCallers: true });
      // Later stages may have asked for more texts.
      const [best, rest] = [opened.slice(0, many(request)), opened.slice(many(request))];
      const { scores, ...made } = await scorer.score(state, best, signal);
      const given = scores.filter((score) => score !== undefined);
      const unscored = best.length - given.length;
      const named = { ...namedIn(state), candidates: best.length, ...(unscored > 0 ? { unscored } : {}) };
      const flat = whyFlat(given);
      if (flat !== undefined) return { opened, ...made, reranked: { ...named, outcome: 'abstained', reason: flat } };
      const blended = blend(best, scores, { weight: named.weight, name: named.reranker });
      const below = movedBelow(rest, blended.at(-1)?.score ?? 0);
      return { opened: [...rankedIn('rerank', blended), ...below], ...made, reranked: { ...named, outcome: 'blended' } };
    },
    count: ({ reranked }) => reranked?.candidates ?? 0,
    otherwise: (state, reason) => {
      const candidates = Math.min(state.opened.length, many(state.request));
      return { opened: state.opened, reranked: { ...namedIn(state), outcome: 'skipped', candidates, reason } };
    },
    ...(configured === undefined ? {} : { budget: { ms: configured.ms } }),
  };
};

const whyNot = (scorer: Scorer, state: ScorerNeeds, recorded: Reranking | undefined): string | undefined => {
  if (recorded?.outcome === 'skipped') return recorded.reason ?? 'it was skipped';
  const name = scorer.name(state);
  if (name === undefined) return scorer.missing;
  return recorded !== undefined && recorded.reranker !== name
    ? `the reranker ${recorded.reranker} is not configured here any more, but ${name}`
    : undefined;
};
