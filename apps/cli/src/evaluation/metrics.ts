/** Relevance of documents for one query, by document id; more is better, 0 or missing is not relevant. */
export type Judgements = ReadonlyMap<string, number>;

export type Metrics = Readonly<{ ndcg10: number; recall10: number; recall100: number; mrr10: number }>;

const gainOf = (judgements: Judgements, id: string): number => Math.max(0, judgements.get(id) ?? 0);
const discounted = (gains: readonly number[]): number => gains.reduce((sum, gain, index) => sum + gain / Math.log2(index + 2), 0);

/** Linear gain over log2(rank + 1), divided by that of the best possible ranking: as trec_eval's ndcg_cut, which BEIR uses. */
export const ndcg = (ranking: readonly string[], judgements: Judgements, depth: number): number => {
  const ideal = discounted(
    [...judgements.values()]
      .filter((gain) => gain > 0)
      .sort((a, b) => b - a)
      .slice(0, depth),
  );
  return ideal === 0 ? 0 : discounted(ranking.slice(0, depth).map((id) => gainOf(judgements, id))) / ideal;
};

/** The share of the relevant documents that is among the first `depth`. */
export const recall = (ranking: readonly string[], judgements: Judgements, depth: number): number => {
  const relevant = [...judgements.values()].filter((gain) => gain > 0).length;
  return relevant === 0 ? 0 : ranking.slice(0, depth).filter((id) => gainOf(judgements, id) > 0).length / relevant;
};

/** One over the rank of the first relevant document; 0 when it is not among the first `depth`. */
export const reciprocalRank = (ranking: readonly string[], judgements: Judgements, depth: number): number => {
  const at = ranking.slice(0, depth).findIndex((id) => gainOf(judgements, id) > 0);
  return at < 0 ? 0 : 1 / (at + 1);
};

export const metricsOf = (ranking: readonly string[], judgements: Judgements): Metrics => ({
  ndcg10: ndcg(ranking, judgements, 10),
  recall10: recall(ranking, judgements, 10),
  recall100: recall(ranking, judgements, 100),
  mrr10: reciprocalRank(ranking, judgements, 10),
});

/** The mean of each over all queries; zeros when there are none. */
export const meanOf = (all: readonly Metrics[]): Metrics => {
  const mean = (of: (metrics: Metrics) => number): number =>
    all.length === 0 ? 0 : all.reduce((sum, one) => sum + of(one), 0) / all.length;
  return {
    ndcg10: mean((m) => m.ndcg10),
    recall10: mean((m) => m.recall10),
    recall100: mean((m) => m.recall100),
    mrr10: mean((m) => m.mrr10),
  };
};
