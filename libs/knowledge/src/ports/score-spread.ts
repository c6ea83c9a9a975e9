/**
 * Distribution of the scores of one query over all chunks of a partition, before filters. A score is meaningful only relative to this
 * distribution. Promises of every `spread`, checked by the kits of both indexes:
 * - it depends only on the contents of the partition: the same contents give the same values, bit for bit;
 * - an empty or missing partition gives `NO_SPREAD`.
 */
export type ScoreSpread = Readonly<{
  /** Number of scores. With BM25 it includes chunks without any query word, which score 0. */
  count: number;
  mean: number;
  /** Standard deviation; 0 if all scores are equal. */
  deviation: number;
}>;

export const NO_SPREAD: ScoreSpread = { count: 0, mean: 0, deviation: 0 };

/** Distribution of a list of scores. */
export const spreadOf = (values: readonly number[]): ScoreSpread => {
  const count = values.length;
  if (count === 0) return NO_SPREAD;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { count, mean, deviation: Math.sqrt(squares / count) };
};

/** Combined distribution of several partitions. */
export const pooledSpread = (spreads: readonly ScoreSpread[]): ScoreSpread => {
  const count = spreads.reduce((sum, spread) => sum + spread.count, 0);
  if (count === 0) return NO_SPREAD;
  const mean = spreads.reduce((sum, spread) => sum + spread.count * spread.mean, 0) / count;
  const squares = spreads.reduce((sum, spread) => sum + spread.count * (spread.deviation ** 2 + (spread.mean - mean) ** 2), 0);
  return { count, mean, deviation: Math.sqrt(squares / count) };
};

/** Number of standard deviations above the mean (z-score); 0 if all scores are equal. */
export const standardScore = (score: number, { mean, deviation }: ScoreSpread): number => (deviation > 0 ? (score - mean) / deviation : 0);
