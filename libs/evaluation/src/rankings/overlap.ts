import type { Ranking } from '../measures/judgements.ts';

/**
 * How much the first `depth` documents of two rankings have in common, whatever their order: the shared ones over the longer of the two
 * lists. 1: the same documents; 0: none in common. Two empty rankings are the same.
 */
export const overlap = (a: Ranking, b: Ranking, depth: number): number => {
  const first = a.slice(0, depth);
  const second = new Set(b.slice(0, depth));
  const longer = Math.max(first.length, second.size);
  return longer === 0 ? 1 : first.filter((id) => second.has(id)).length / longer;
};
