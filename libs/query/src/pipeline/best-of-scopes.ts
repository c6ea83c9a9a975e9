import type { Filter } from '@palimpsest/knowledge/access';
import { byStandardThenId, type Candidate } from '../ranking/ranked-list.ts';
import type { Located, Wanted } from './search-state.ts';
import { visibleCandidates } from './visibility-filter.ts';

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
