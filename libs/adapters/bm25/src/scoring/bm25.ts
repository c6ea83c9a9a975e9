/**
 * BM25 in whole numbers. A chunk's score is the sum, over the terms of the query, of
 *   weight = frequency in the query × round(1024 × ln(1 + (N − df + ½) / (df + ½)))
 *   impact = round(255 × tf / (tf + k1 × (1 − b + b × length / average)))
 * (Robertson's formula in Lucene's form, without the constant factor k1 + 1). N, df and average refer to all live chunks of the
 * partition, independent of segments. So the same chunks give the same scores, and integer sums do not depend on the order.
 */
export type Bm25Parameters = Readonly<{ k1: number; b: number }>;

/** The parameters, with the current average length. */
export type Scoring = Bm25Parameters & Readonly<{ average: number }>;

export const MAX_IMPACT = 255;
const WEIGHT_SCALE = 1024;
/** Limits for a query: 128 × 3 × 20,000 × 255 stays below 2^31. */
export const MAX_QUERY_TERMS = 128;
const MAX_WEIGHT = 20_000;

/** Steps per doubling of the average length: at most 1.6 % off the true average. */
const AVERAGE_STEPS = 32;

/**
 * The average length for scoring: the true average, rounded to one of 32 steps per doubling. It depends only on the live chunks and
 * rarely changes with them, so impacts rarely have to be recomputed.
 */
export const roundedAverage = (totalLength: number, count: number): number => {
  const average = Math.max(1, totalLength / count);
  const step = 2 ** (31 - Math.clz32(average)) / AVERAGE_STEPS;
  return Math.round(average / step) * step;
};

/** At least 1, so that chunks with a term still match when almost every chunk has it. */
export const weightOf = (count: number, documentFrequency: number): number =>
  Math.min(MAX_WEIGHT, Math.max(1, Math.round(WEIGHT_SCALE * Math.log(1 + (count - documentFrequency + 0.5) / (documentFrequency + 0.5)))));

/** The length-dependent part of the denominator. */
export const lengthNorm = ({ k1, b, average }: Scoring, length: number): number => k1 * (1 - b + (b * length) / average);

/** 1-255. */
export const impactOf = (frequency: number, norm: number): number => Math.max(1, Math.round((MAX_IMPACT * frequency) / (frequency + norm)));

/** Converts points to the unit of BM25. */
export const toScore = (points: number): number => points / (MAX_IMPACT * WEIGHT_SCALE);
