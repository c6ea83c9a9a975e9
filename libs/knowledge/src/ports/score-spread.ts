/**
 * How the scores of one query are spread over everything in a partition, whatever a filter would let through: a score says how good a
 * chunk is only against these. Promises of every `spread`, checked by the kits of both indexes:
 * - it depends on the contents of the partition alone: the same contents give the same figures, bit for bit;
 * - a partition that is empty or does not exist gives `NO_SPREAD`.
 */
export type ScoreSpread = Readonly<{
  /** Everything that has a score; with BM25, also the chunks that hold no word of the query and score 0. */
  count: number;
  mean: number;
  /** Standard deviation; 0 when all scores are equal. */
  deviation: number;
}>;

export const NO_SPREAD: ScoreSpread = { count: 0, mean: 0, deviation: 0 };

/** Of values that are given one by one. */
export const spreadOf = (values: readonly number[]): ScoreSpread => {
  const count = values.length;
  if (count === 0) return NO_SPREAD;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { count, mean, deviation: Math.sqrt(squares / count) };
};

/** Of everything in several partitions together. */
export const pooledSpread = (spreads: readonly ScoreSpread[]): ScoreSpread => {
  const count = spreads.reduce((sum, spread) => sum + spread.count, 0);
  if (count === 0) return NO_SPREAD;
  const mean = spreads.reduce((sum, spread) => sum + spread.count * spread.mean, 0) / count;
  const squares = spreads.reduce((sum, spread) => sum + spread.count * (spread.deviation ** 2 + (spread.mean - mean) ** 2), 0);
  return { count, mean, deviation: Math.sqrt(squares / count) };
};

/** How many standard deviations a score lies above the mean (its z-score); 0 where all scores are equal. */
export const standardScore = (score: number, { mean, deviation }: ScoreSpread): number => (deviation > 0 ? (score - mean) / deviation : 0);
