import type { IndexQuery } from '@palimpsest/knowledge/read-models';
import type { ChunkSelection } from '@palimpsest/knowledge/selections';
import { byStandardThenId, type Candidate } from '../ranking/ranked-list.ts';
import type { Located, Wanted } from './search-state.ts';
import { visibleCandidates } from './visibility-filter.ts';

/** The best visible candidates over all scopes, by their standard scores. */
export const bestOfScopes = <Hit extends Candidate, Scope extends Readonly<{ scopeAt: number; chunks?: ChunkSelection }>>(
  { pool, shown, filter }: Wanted,
  scopes: readonly Scope[],
  search: (scope: Scope, query: IndexQuery) => Promise<readonly Hit[]>,
): Promise<readonly Located<Hit>[]> =>
  visibleCandidates(pool, shown, async (k) => {
    const query = { k, ...(filter === undefined ? {} : { filter }) };
    const found = await Promise.all(
      scopes.map(async (scope) =>
        (await search(scope, scope.chunks === undefined ? query : { ...query, chunks: scope.chunks })).map((hit) => ({
          ...hit,
          scopeAt: scope.scopeAt,
        })),
      ),
    );
    return found.flat().sort(byStandardThenId).slice(0, k);
  });
