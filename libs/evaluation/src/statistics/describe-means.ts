import { SeededRandom } from '@palimpsest/foundation';
import type { Interval } from './bootstrap.ts';
import { bootstrapIntervals } from './bootstrap.ts';
import { deviationOf, meanOf } from './moments.ts';

/** The mean of a measure, its standard deviation over the queries, and the bootstrap interval of the mean. */
export type DescribedMean = Readonly<{ mean: number; deviation: number; interval: Interval }>;

/**
 * Describes measures of the same queries, in the same order.
 * @param columns the values of each measure, from 0 to 1
 * @throws RangeError if there are no queries, or not equally many of each measure
 */
export const describeMeans = <Name extends string>(
  columns: Readonly<Record<Name, readonly number[]>>,
  { seed, level = 0.05, resamples = 10_000 }: Readonly<{ seed: number; level?: number; resamples?: number }>,
): Readonly<Record<Name, DescribedMean>> => {
  const named = Object.entries<readonly number[]>(columns);
  const queries = named[0]?.[1].length ?? 0;
  if (queries === 0) throw new RangeError('queries: expected at least one');
  for (const [name, values] of named)
    if (values.length !== queries) throw new RangeError(`${name}: expected ${queries} queries, got ${values.length}`);
  const intervals = bootstrapIntervals(
    named.map(([, values]) => Float64Array.from(values)),
    { resamples, level, random: new SeededRandom(seed) },
  );
  const described = named.map(([name, values], at): [string, DescribedMean] => {
    const [low, high] = intervals[at] ?? [0, 1];
    // The bootstrap is for differences: without knowledge it says from -1 to 1.
    return [name, { mean: meanOf(values), deviation: deviationOf(values), interval: [Math.max(0, low), high] }];
  });
  return Object.fromEntries(described) as Record<Name, DescribedMean>;
};
