import { byMarginalRelevance, type Chosen } from '../ranking/marginal-relevance.ts';
import { considered } from '../search/arrangement.ts';
import type { OpenedHit } from './opened-hit.ts';
import { rankedIn } from './ranked-hit.ts';
import type { Opened, SearchStart } from './search-state.ts';
import type { Stage } from './stage.ts';

/** Moves hits that repeat a better one behind those that say something else. The hits keep their scores. */
export const diversify: Stage<Pick<SearchStart, 'request'> & Opened, Opened> = {
  name: 'diversify',
  unless: { holds: ({ request: { diversity = 0 } }) => diversity === 0, add: ({ opened }) => ({ opened }) },
  run: ({ request, opened }) => {
    const { diversity = 0 } = request;
    const passages = opened.slice(0, considered(request)).map(({ text, score }) => ({ text: text.text, relevance: score }));
    const chosen = byMarginalRelevance(passages, diversity, passages.length);
    const chosenAs = new Map(chosen.flatMap((choice) => (opened[choice.at] ? [[opened[choice.at], choice] as const] : [])));
    const rest = opened.slice(passages.length);
    return {
      opened: rankedIn('diversify', [...chosen.flatMap(({ at }) => opened[at] ?? []), ...rest], (hit) => {
        const choice = chosenAs.get(hit);
        return choice && { score: choice.value, note: noteOf(choice, opened) };
      }),
    };
  },
  count: ({ opened }) => opened.length,
};

/** `from`: the hits before they were moved. */
const noteOf = ({ at, relevance, like }: Chosen, from: readonly OpenedHit[]): string => {
  const other = like && from[like.at];
  const similar = like && other ? `, similarity ${like.similarity.toFixed(3)} to ${other.chunkId}` : '';
  return `rank ${at + 1} before, relevance ${relevance.toFixed(3)}${similar}`;
};
