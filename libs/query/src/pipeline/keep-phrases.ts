import { searchText } from '@palimpsest/contracts';
import { containsPhrases } from '../ranking/phrases.ts';
import type { OpenedHit } from './opened-hit.ts';
import type { Opened, SearchStart } from './search-state.ts';
import type { Stage } from './stage.ts';

/** Texts that are compared before other requests go on. */
const AT_ONCE = 64;

/** Drops hits whose indexed text has the words of a phrase, but not next to each other: the indexes store no order. */
export const keepPhrases: Stage<Pick<SearchStart, 'request'> & Opened, Opened> = {
  name: 'phrases',
  unless: { holds: ({ request: { terms } }) => (terms?.phrases ?? []).length === 0, add: ({ opened }) => ({ opened }) },
  run: async ({ request: { terms }, opened }, { othersTurn }) => {
    const hasPhrases = containsPhrases(terms?.phrases ?? []);
    const kept: OpenedHit[] = [];
    for (const [i, hit] of opened.entries()) {
      if (i % AT_ONCE === AT_ONCE - 1) await othersTurn();
      if (hasPhrases(searchText(hit.text))) kept.push(hit);
    }
    return { opened: kept };
  },
  count: ({ opened }) => opened.length,
};
