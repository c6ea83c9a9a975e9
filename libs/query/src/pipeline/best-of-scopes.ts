import type { Filter } from '@palimpsest/knowledge/access';
import type { ScoreSpread } from '@palimpsest/knowledge/read-models';
import { byStandardThenId, type Candidate } from '../ranking/ranked-list.ts';
import type { Located, Wanted } from './search-state.ts';
import { visibleCandidates } from './visibility-filter.ts';

/** Leaves scores as they are, when nothing has to be compared across scopes or searches. */
export const UNSCALED: ScoreSpread = { count: 0, mean: 0, deviation: 1 };

export const needsSpread = ({ calibrated, searchable }: Wanted): boolean => calibrated || searchable.length > 1;

/** The best visible candidates over all scopes, by their standard scores. */
export const bestOfScopes = <Hit extends Candidate, Scope extends Readonly<{ scopeAt: number }>>(
  { pool, shown, filter }: Wanted,
  scopes: readonly Scope[],
  search: (scope: Scope, query: Readonly<{ k: number; filter?: Filter }>) => Promise<readonly Hit[]>,
): Promise<readonly Located<Hit>[]> =>
  visibleCandidates(pool, shown, async (k) => {
    const query = { k, ...(filter === undefined ? {} : { filter }) };
    const found = await Promise.all(
      scopes.map(async (scope) => (await search(scope, query)).map((hit) => ({ ...hit, scopeAt: scope.scopeAt }))),
    );
    return found.flat().sort(byStandardThenId).slice(0, k);
  });
