import { textIfAny } from '@palimpsest/contracts';
import { assertVisible } from '@palimpsest/knowledge/access';
import type { ScopeKeys } from '@palimpsest/knowledge/ports';
import { chunkListOf } from '@palimpsest/knowledge/values';
import { EXPANSION_LIMITS, surroundings, withoutRepeats, type Passage } from '../ranking/surroundings.ts';
import { NEIGHBOURS } from '../search/arrangement.ts';
import type { SearchRequest } from '../search/search-request.ts';
import type { OpenedHit } from './opened-hit.ts';
import { rankedIn } from './ranked-hit.ts';
import type { Opened, SearchStart, Targeted } from './search-state.ts';
import type { Stage } from './stage.ts';

type Needs = Pick<SearchStart, 'request' | 'access' | 'view'> & Pick<Targeted, 'wanted'> & Opened;

/**
 * Reads the passages around each of the best `topK` hits: of the same version of its document, in the chunk list that is searched. They
 * change neither the order of the hits nor their number.
 */
export const expand = (keys: ScopeKeys): Stage<Needs, Opened> => ({
  name: 'expand',
  unless: { holds: ({ request }) => request.expand === undefined, add: ({ opened }) => ({ opened }) },
  run: async (state, { othersTurn }) => {
    const { request, opened } = state;
    const expanded: OpenedHit[] = [];
    for (const hit of opened.slice(0, request.topK)) {
      expanded.push({ ...hit, around: await around(keys, state, hit) });
      await othersTurn();
    }
    return {
      opened: [
        ...rankedIn('expand', expanded, (hit) => ({ note: `with ${hit.around?.length ?? 0} passages around it` })),
        ...opened.slice(request.topK),
      ],
    };
  },
  count: ({ opened }) => opened.reduce((sum, hit) => sum + (hit.around?.length ?? 0), 0),
});

const around = async (
  keys: ScopeKeys,
  { request, access, view, wanted: { searchable } }: Needs,
  hit: OpenedHit,
): Promise<NonNullable<OpenedHit['around']>> => {
  const { documentId, index, version, scope } = hit.chunk;
  const target = searchable.find((one) => one.scope.scope === scope);
  if (target === undefined) return [];
  const how = reachOf(request);
  const range = { from: index - how.reach, to: index + how.reach };
  const passages = new Map<number, Passage>();
  for (const chunk of await view.catalog.chunksBetween([target.scope], documentId, range, chunkListOf(target.recipe.chunking))) {
    // Another version may have been indexed since the hit was found.
    if (chunk.version !== version || chunk.index === index) continue;
    assertVisible(access, chunk);
    const text = await textIfAny(keys, { tenant: access.tenant, scope }, chunk);
    if (text) passages.set(chunk.index, { chunk, text });
  }
  const belongs = ({ text: { headings } }: Passage): boolean => !how.inSection || hit.text.headings.every((one, i) => headings[i] === one);
  return withoutRepeats(
    hit,
    surroundings(hit, (at) => passages.get(at), { reach: how.reach, belongs }),
  ).map(({ chunk, text }) => ({ chunkId: chunk.chunkId, index: chunk.index, text: text.text, contextPrefix: text.contextPrefix }));
};

const reachOf = ({ expand: by, neighbours = NEIGHBOURS }: SearchRequest): Readonly<{ reach: number; inSection: boolean }> =>
  by === 'section' ? { reach: EXPANSION_LIMITS.passages, inSection: true } : { reach: neighbours, inSection: false };
