import type { Explanation } from './fusion.ts';
import { byScoreThenId, type Scored } from './ranked-list.ts';

type Explained = Scored & Readonly<{ explained: () => Explanation }>;

/** Scores that differ by less say nothing about an order: of a probability, or relative to scores that are larger than 1. */
const FLAT = 0.01;

/** Why scores of a reranker cannot order anything; undefined if they can. */
export const whyFlat = (scores: readonly number[]): string | undefined => {
  if (scores.length < 2) return 'there are fewer than two results to compare';
  const [min, max] = [Math.min(...scores), Math.max(...scores)];
  return max - min <= FLAT * Math.max(1, Math.abs(min), Math.abs(max)) ? 'its scores of all results are about the same' : undefined;
};

/**
 * Orders hits by the weighted sum of two standard scores: of their score so far, and of `scores`, those of a reranker. Both are
 * standardised over these hits, because their units have nothing in common. For a hit without a score of the reranker, that of the search
 * counts instead, so that it is neither raised nor lowered. `weight`: of the reranker, between 0 and 1.
 */
export const blend = <Hit extends Explained>(
  hits: readonly Hit[],
  scores: readonly (number | undefined)[],
  { weight, name }: Readonly<{ weight: number; name: string }>,
): readonly Hit[] => {
  const before = standardised(hits.map(({ score }) => score));
  const places = [...scores.keys()]
    .filter((i) => scores[i] !== undefined)
    .sort((one, other) => (scores[other] ?? 0) - (scores[one] ?? 0) || one - other);
  const standards = standardised(places.map((i) => scores[i] ?? 0));
  const after = new Map(places.map((index, place) => [index, standards[place] ?? 0]));
  const rankOf = new Map(places.map((index, place) => [index, place + 1]));
  return hits
    .map((hit, i) => {
      const [own = 0, other = own] = [before[i], after.get(i)];
      const [mine, its] = [(1 - weight) * own, weight * other];
      const explained = (): Explanation => ({
        label: 'weighted sum of the standard scores of the search and of the reranker, among the reranked results',
        value: mine + its,
        parts: [
          { label: `${rounded(1 - weight)} × search ${rounded(own)} (rank ${i + 1})`, value: mine, parts: [hit.explained()] },
          {
            label: `${rounded(weight)} × ${name} ${rounded(other)} (${placeIn(rankOf.get(i), scores[i])})`,
            value: its,
          },
        ],
      });
      return { ...hit, score: mine + its, explained };
    })
    .sort(byScoreThenId);
};

const placeIn = (rank: number | undefined, score: number | undefined): string =>
  rank === undefined || score === undefined ? 'no score: that of the search counts' : `rank ${rank}, score ${rounded(score)}`;

/** Hits that were not reranked, with their order and distances, from `top` downwards: their scores have another unit than blended ones. */
export const movedBelow = <Hit extends Explained>(hits: readonly Hit[], top: number): readonly Hit[] => {
  const best = hits[0]?.score ?? 0;
  return hits.map((hit) => {
    const score = top + hit.score - best;
    const explained = (): Explanation => ({
      label: 'not reranked: moved below the reranked results',
      value: score,
      parts: [hit.explained()],
    });
    return { ...hit, score, explained };
  });
};

/** Standard deviations above the mean; 0 for all if they are equal. */
const standardised = (values: readonly number[]): readonly number[] => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
  return values.map((value) => (deviation > 0 && Number.isFinite(deviation) ? (value - mean) / deviation : 0));
};

const rounded = (value: number): string => String(Number(value.toFixed(4)));
