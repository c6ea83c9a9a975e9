import { textIfAny } from '@palimpsest/contracts';
import { assertVisible } from '@palimpsest/knowledge/access';
import type { ScopeKeys } from '@palimpsest/knowledge/ports';
import type { SearchRequest } from '../search/search-request.ts';
import type { OpenedHit } from './opened-hit.ts';
import type { Fused, Opened, SearchStart, Targeted } from './search-state.ts';
import type { Stage } from './stage.ts';

type Needs = Pick<SearchStart, 'request' | 'access'> & Pick<Targeted, 'wanted'> & Pick<Fused, 'ranking'>;

/**
 * Reads and unseals the texts of the best hits, and checks each of them for visibility once more. `many`: how many; more than `topK` if
 * a later stage chooses among them.
 */
export const openTexts = (keys: ScopeKeys, many = ({ topK }: SearchRequest): number => topK): Stage<Needs, Opened> => ({
  name: 'texts',
  run: async ({ request, access, wanted: { shown }, ranking }) => {
    const wanted = many(request);
    const opened: OpenedHit[] = [];
    // Runs once, unless chunks were removed since the candidates were found: then the next candidates move up.
    for (let from = 0; from < ranking.length && opened.length < wanted;) {
      const next = ranking.slice(from, from + wanted - opened.length);
      from += next.length;
      for (const [hit, chunk] of await shown.of(next)) {
        assertVisible(access, chunk);
        const text = await textIfAny(keys, { tenant: access.tenant, scope: chunk.scope }, chunk);
        if (text) opened.push({ ...hit, chunk, text });
      }
    }
    return { opened };
  },
  count: ({ opened }) => opened.length,
});
