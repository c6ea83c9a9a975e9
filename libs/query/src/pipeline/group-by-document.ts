import { PER_GROUP } from '../search/arrangement.ts';
import type { OpenedHit } from './opened-hit.ts';
import { rankedIn } from './ranked-hit.ts';
import type { Opened, SearchStart } from './search-state.ts';
import type { Stage } from './stage.ts';

/**
 * Puts the best passages of each document next to each other, at most `perGroup` of them. A document has the place of its best passage.
 */
export const groupByDocument: Stage<Pick<SearchStart, 'request'> & Opened, Opened> = {
  name: 'group',
  unless: { holds: ({ request }) => request.groupBy === undefined, add: ({ opened }) => ({ opened }) },
  run: ({ request: { perGroup = PER_GROUP }, opened }) => {
    const groups = [...Map.groupBy(opened, ({ chunk }) => chunk.documentId).values()];
    const before = new Map(opened.map((hit, i) => [hit, i + 1]));
    const notes = new Map<OpenedHit, string>();
    for (const group of groups)
      for (const [i, hit] of group.slice(0, perGroup).entries())
        notes.set(
          hit,
          i === 0 ? firstNote(group.length, perGroup) : `rank ${before.get(hit)} before, next to a better passage of its document`,
        );
    const grouped = groups.flatMap((group) => group.slice(0, perGroup));
    return { opened: rankedIn('group', grouped, (hit) => ({ note: notes.get(hit) ?? '' })) };
  },
  count: ({ opened }) => opened.length,
};

const firstNote = (found: number, perGroup: number): string =>
  `best of ${found} ${found === 1 ? 'passage' : 'passages'} of its document${found > perGroup ? `, of which ${perGroup} ${perGroup === 1 ? 'is' : 'are'} kept` : ''}`;
