/** Relevance by document or chunk id: 0 is irrelevant, higher is better. What is not judged counts as irrelevant. */
export type Judgements = Readonly<Record<string, number>>;

/** The first k ids of a ranking; an id that comes twice counts where it stands first. */
const firstOf = (ranking: readonly string[], k: number): readonly string[] => [...new Set(ranking)].slice(0, k);

const relevanceOf = (judgements: Judgements, id: string): number => (Object.hasOwn(judgements, id) ? Math.max(0, judgements[id] ?? 0) : 0);

const discounted = (gains: readonly number[]): number => gains.reduce((total, gain, index) => total + gain / Math.log2(index + 2), 0);

/**
 * Normalised discounted cumulative gain, 0 to 1, in the convention of trec_eval (`ndcg_cut`) and so of BEIR: the gain is the
 * relevance itself, not 2^relevance − 1, and is divided by log2(rank + 1); the ideal ranking is over all judged ids.
 * 0 when nothing is relevant. Järvelin, Kekäläinen: Cumulated gain-based evaluation of IR techniques (TOIS 2002).
 */
export const ndcgAt = (k: number, ranking: readonly string[], judgements: Judgements): number => {
  const ideal = Object.keys(judgements)
    .map((id) => relevanceOf(judgements, id))
    .sort((one, other) => other - one);
  const best = discounted(ideal.slice(0, k));
  return best === 0 ? 0 : discounted(firstOf(ranking, k).map((id) => relevanceOf(judgements, id))) / best;
};

/** The part of all relevant ids that is among the first k (trec_eval `recall`); 0 when nothing is relevant. */
export const recallAt = (k: number, ranking: readonly string[], judgements: Judgements): number => {
  const relevant = Object.keys(judgements).filter((id) => relevanceOf(judgements, id) > 0).length;
  return relevant === 0 ? 0 : firstOf(ranking, k).filter((id) => relevanceOf(judgements, id) > 0).length / relevant;
};

/**
 * One over the rank of the first relevant id among the first k, else 0; its mean over queries is the MRR.
 * Voorhees: The TREC-8 Question Answering Track Report (1999); `recip_rank` of trec_eval, cut at k.
 */
export const reciprocalRankAt = (k: number, ranking: readonly string[], judgements: Judgements): number => {
  const index = firstOf(ranking, k).findIndex((id) => relevanceOf(judgements, id) > 0);
  return index < 0 ? 0 : 1 / (index + 1);
};

/** The part of the first k that two rankings share, whatever the order: by the longer of both, so 1 means the same set. Two empty ones are the same. */
export const overlapAt = (k: number, one: readonly string[], other: readonly string[]): number => {
  const ones = new Set(firstOf(one, k));
  const others = new Set(firstOf(other, k));
  const longer = Math.max(ones.size, others.size);
  return longer === 0 ? 1 : [...ones].filter((id) => others.has(id)).length / longer;
};

export type EvaluatedQuery = Readonly<{ ranking: readonly string[]; judgements: Judgements }>;
export type Evaluation = Readonly<{ queries: number; ndcg: number; recall: number; mrr: number }>;

/** Means over the queries that have at least one relevant id, as BEIR counts them; `queries` says how many these are. */
export const evaluate = (k: number, queries: readonly EvaluatedQuery[]): Evaluation => {
  const judged = queries.filter(({ judgements }) => Object.values(judgements).some((relevance) => relevance > 0));
  const mean = (metric: typeof ndcgAt): number =>
    judged.length === 0 ? 0 : judged.reduce((total, { ranking, judgements }) => total + metric(k, ranking, judgements), 0) / judged.length;
  return { queries: judged.length, ndcg: mean(ndcgAt), recall: mean(recallAt), mrr: mean(reciprocalRankAt) };
};
