import { quantile } from '@palimpsest/evaluation';

/** Times of searches without re-embedding, in milliseconds. */
export type UsualSearches = Readonly<{ median: number; p99: number }>;

/** A search is slow if it takes this many times the p99 without re-embedding. */
const SLOWER = 1.3;
/** Share of the searches that are slower than a p99. */
const BEYOND_P99 = 0.01;

/** Undefined without searches. */
export const usualSearches = (ms: readonly number[]): UsualSearches | undefined => {
  const [median, p99] = [quantile(ms, 0.5), quantile(ms, 0.99)];
  return median === undefined || p99 === undefined ? undefined : { median, p99 };
};

/** The slowest time that is still accepted. `acceptedMs`: faster searches are never slow. Without `usual`, only it counts. */
export const slowestAccepted = (usual: UsualSearches | undefined, acceptedMs: number): number =>
  usual === undefined && acceptedMs === 0 ? Infinity : Math.max(acceptedMs, SLOWER * (usual?.p99 ?? 0));

/**
 * Whether more of these searches took longer than `limit` than the one in a hundred of a p99, by more than chance: two standard
 * deviations of the binomial distribution.
 */
export const areSlow = (ms: readonly number[], limit: number): boolean => {
  const expected = BEYOND_P99 * ms.length;
  return ms.filter((one) => one > limit).length > expected + 2 * Math.sqrt(expected * (1 - BEYOND_P99));
};

/**
 * The usual times when all searches have become slower for another reason. `unhindered`: searches while re-embedding took a tenth of the
 * time, so that it cannot have changed their median.
 */
export const scaled = (usual: UsualSearches, unhindered: readonly number[]): UsualSearches => {
  const factor = Math.max(1, (quantile(unhindered, 0.5) ?? 0) / usual.median);
  return { median: usual.median * factor, p99: usual.p99 * factor };
};
