import type { Judgements, Ranking } from './judgements.ts';
import { gainOf, isRelevant, relevantCount } from './judgements.ts';

/**
 * Relevance measures of one ranking, each from 0 to 1, equal to those of pytrec_eval and ir_measures (libs/evaluation/test/golden).
 * `depth` is the number of documents at the start of the ranking that count. A query without relevant documents scores 0.
 */

/** The sum of the gain at each rank over log2(rank + 1). */
export const discounted = (gains: Iterable<number>): number => {
  let sum = 0;
  let rank = 0;
  for (const gain of gains) sum += gain / Math.log2(++rank + 1);
  return sum;
};

/**
 * The gain at each rank over log2(rank + 1), divided by that of the best possible ranking. Linear gains, as `ndcg_cut` of trec_eval
 * (Järvelin and Kekäläinen, 2002).
 */
export const ndcg = (ranking: Ranking, judgements: Judgements, depth: number): number => {
  const best = [...judgements.values()].filter((grade) => grade > 0).sort((a, b) => b - a);
  const ideal = discounted(best.slice(0, depth));
  return ideal === 0 ? 0 : discounted(ranking.slice(0, depth).map((id) => gainOf(judgements, id))) / ideal;
};

const found = (ranking: Ranking, judgements: Judgements, depth: number): number =>
  ranking.slice(0, depth).filter((id) => isRelevant(judgements, id)).length;

/** The share of the relevant documents that is among the first `depth`. */
export const recall = (ranking: Ranking, judgements: Judgements, depth: number): number => {
  const relevant = relevantCount(judgements);
  return relevant === 0 ? 0 : found(ranking, judgements, depth) / relevant;
};

/** The share of the first `depth` ranks that hold a relevant document. Ranks that the ranking does not fill count. */
export const precision = (ranking: Ranking, judgements: Judgements, depth: number): number => found(ranking, judgements, depth) / depth;

/** One over the rank of the first relevant document; 0 if it is not among the first `depth`. */
export const reciprocalRank = (ranking: Ranking, judgements: Judgements, depth: number): number => {
  const at = ranking.slice(0, depth).findIndex((id) => isRelevant(judgements, id));
  return at < 0 ? 0 : 1 / (at + 1);
};

/** 1 if a relevant document is among the first `depth`, otherwise 0. */
export const success = (ranking: Ranking, judgements: Judgements, depth: number): number => (found(ranking, judgements, depth) > 0 ? 1 : 0);

/** Precision at the rank of each relevant document among the first `depth`, summed, over the number of relevant documents. */
export const averagePrecision = (ranking: Ranking, judgements: Judgements, depth: number): number => {
  const relevant = relevantCount(judgements);
  if (relevant === 0) return 0;
  let sum = 0;
  let hits = 0;
  for (const [index, id] of ranking.slice(0, depth).entries()) if (isRelevant(judgements, id)) sum += ++hits / (index + 1);
  return sum / relevant;
};

/** The share of the first `depth` documents that were judged, whatever their grade; 0 for an empty ranking. */
export const judged = (ranking: Ranking, judgements: Judgements, depth: number): number => {
  const first = ranking.slice(0, depth);
  return first.length === 0 ? 0 : first.filter((id) => judgements.has(id)).length / first.length;
};
