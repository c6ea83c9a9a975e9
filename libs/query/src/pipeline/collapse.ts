import { nearIdentical } from '../ranking/near-identical.ts';
import type { OpenedHit, Similar } from './opened-hit.ts';
import { rankedIn } from './ranked-hit.ts';
import type { Opened, SearchStart } from './search-state.ts';
import type { Stage } from './stage.ts';

/** Ids that a hit lists; `count` counts all. */
const MAX_LISTED = 20;

/** Keeps the best of the passages that say the same in the same words. The others make room, and are counted with it. */
export const collapse: Stage<Pick<SearchStart, 'request'> & Opened, Opened> = {
  name: 'collapse',
  unless: { holds: ({ request }) => request.collapse !== true, add: ({ opened }) => ({ opened }) },
  run: async ({ opened }, { othersTurn }) => {
    const firstOf = await nearIdentical(
      opened.map(({ text }) => text.text),
      othersTurn,
    );
    const repeats = Map.groupBy(opened.keys(), (at) => firstOf[at] ?? at);
    const kept = opened.flatMap((hit, at): readonly OpenedHit[] => {
      const similar = similarTo((repeats.get(at) ?? []).flatMap((other) => (other === at ? [] : (opened[other] ?? []))));
      return firstOf[at] === at ? [{ ...hit, ...similar }] : [];
    });
    return {
      opened: rankedIn('collapse', kept, ({ similar }) => similar && { note: `stands for ${similar.count} more passages like it` }),
    };
  },
  count: ({ opened }) => opened.length,
};

const similarTo = (others: readonly OpenedHit[]): Readonly<{ similar?: Similar }> =>
  others.length === 0
    ? {}
    : {
        similar: {
          count: others.length,
          passages: others.slice(0, MAX_LISTED).map(({ chunkId, chunk: { documentId } }) => ({ chunkId, documentId })),
        },
      };
