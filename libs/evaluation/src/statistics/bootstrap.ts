import type { SeededRandom } from '@palimpsest/foundation';
import { normalProbability, tQuantile } from './distributions.ts';

/** Lower and upper limit. */
export type Interval = readonly [low: number, high: number];

/**
 * Paired bootstrap intervals of the mean differences: queries are drawn with replacement, each with the differences of all its measures, and
 * the limits are percentiles of the means. Percentiles alone are too narrow for few queries, so they are widened as a t interval is wider
 * than a normal one: the "expanded percentile" interval of T. Hesterberg, "What Teachers Should Know About the Bootstrap", The American
 * Statistician 69(4), 2015, section 5.2. With fewer than 2 queries nothing is known, and the interval is `[-1, 1]`.
 *
 * Each column holds the differences of one measure (from -1 to 1), all for the same queries in the same order.
 * @param level the share of intervals that miss the true mean, for example .05
 */
export const bootstrapIntervals = (
  columns: readonly Float64Array[],
  { resamples, level, random }: Readonly<{ resamples: number; level: number; random: SeededRandom }>,
): readonly Interval[] => {
  const queries = columns[0]?.length ?? 0;
  if (queries < 2) return columns.map(() => [-1, 1]);
  const width = columns.length;
  const rows = new Float64Array(queries * width);
  for (const [at, column] of columns.entries()) for (let query = 0; query < queries; query++) rows[query * width + at] = column[query] ?? 0;

  const means = columns.map(() => new Float64Array(resamples));
  const sums = new Float64Array(width);
  for (let resample = 0; resample < resamples; resample++) {
    sums.fill(0);
    for (let draw = 0; draw < queries; draw++) {
      const row = Math.floor(random.next() * queries) * width;
      for (let at = 0; at < width; at++) (sums[at] as number) += rows[row + at] as number;
    }
    for (let at = 0; at < width; at++) (means[at] as Float64Array)[resample] = (sums[at] as number) / queries;
  }
  const tail = normalProbability(Math.sqrt(queries / (queries - 1)) * tQuantile(level / 2, queries - 1));
  return means.map((ofColumn) => [percentile(ofColumn.sort(), tail), percentile(ofColumn, 1 - tail)]);
};

/** Of sorted values, interpolated between neighbours. */
const percentile = (sorted: Float64Array, share: number): number => {
  const at = share * (sorted.length - 1);
  const below = sorted[Math.floor(at)] ?? 0;
  const above = sorted[Math.ceil(at)] ?? 0;
  return below + (above - below) * (at - Math.floor(at));
};
