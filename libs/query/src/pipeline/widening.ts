import { MAX_INDEX_RESULTS } from '@palimpsest/knowledge/texts';
import { leavesOut } from '../search/arrangement.ts';
import type { SearchOutcome, SearchStart } from './search-state.ts';
import type { StageList } from './stage-list.ts';

type Repeatable = Pick<StageList<SearchStart, SearchOutcome>, 'run'>;

/**
 * Searches again among four times as many candidates as long as too few hits remain and more may exist. The limit of the indexes is
 * the limit here, too.
 */
export const widening = (stages: Repeatable): Repeatable => ({
  run: async (start, run) => {
    const { request } = start;
    for (let outcome = await stages.run(start, run); ;) {
      const { hits, wanted, dense, lexical } = outcome;
      const isExhausted = dense.hits.length < wanted.pool && lexical.hits.length < wanted.pool;
      if (!leavesOut(request) || hits.length >= request.topK || isExhausted || wanted.pool >= MAX_INDEX_RESULTS) return outcome;
      const { rewriting } = outcome;
      outcome = await stages.run(
        { ...start, ...(rewriting ? { rewriting } : {}), pool: Math.min(MAX_INDEX_RESULTS, wanted.pool * 4) },
        run,
      );
    }
  },
});
