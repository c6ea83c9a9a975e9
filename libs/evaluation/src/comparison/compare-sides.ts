import { SeededRandom } from '@palimpsest/foundation';
import type { Interval } from '../statistics/bootstrap.ts';
import { bootstrapIntervals } from '../statistics/bootstrap.ts';
import { holm } from '../statistics/holm.ts';
import { deviationOf, meanOf } from '../statistics/moments.ts';
import { smallestDetectableEffect } from '../statistics/power.ts';
import { randomisationTest } from '../statistics/randomisation-test.ts';
import type { Verdict } from './verdict.ts';
import { additionalQueries, overallVerdict, verdictOf } from './verdict.ts';

/** One measure of the same queries, in the same order, on both sides. Every value is from 0 to 1. */
export type MeasuredSides = Readonly<{ measure: string; before: readonly number[]; after: readonly number[] }>;

export type CompareOptions = Readonly<{
  /** The loss that is accepted: the same for each measure, above 0 and below 1. */
  margin: number;
  /** The same seed gives the same result. */
  seed: number;
  /** The level of tests and intervals: .05 means that 5 % are wrong. */
  level?: number;
  permutations?: number;
  resamples?: number;
}>;

export type MeasureComparison = Readonly<{
  measure: string;
  /** Means over all queries. */
  before: number;
  after: number;
  /** The mean of `after - before`, with its bootstrap interval at `1 - level`. */
  difference: number;
  interval: Interval;
  /** Of the paired randomisation test, and after Holm's correction for all measures of all candidates. */
  p: number;
  adjustedP: number;
  /** The smallest true difference that this number of queries shows with 80 % power, after the correction. */
  smallestDetectableEffect: number;
  verdict: Verdict;
  /** How many more queries would probably decide it. Only if it is undecided. */
  additionalQueries?: number;
}>;

export type Comparison = Readonly<{
  queries: number;
  margin: number;
  level: number;
  seed: number;
  verdict: Verdict;
  /** The most that any measure needs. Only if the verdict is undecided. */
  additionalQueries?: number;
  /**
   * The share of all queries that could differ without one of them being among these, at this level: what identical results do not rule out
   * (the "rule of three": about 3 / n).
   */
  unseenShare: number;
  measures: readonly MeasureComparison[];
}>;

const DEFAULTS = { level: 0.05, permutations: 10_000, resamples: 10_000 };

/**
 * Compares two sides over the same queries: is `after` not worse than `before`, within a margin?
 * @throws RangeError if there are no queries or measures, if a value is not from 0 to 1, or if an option is out of range
 */
export const compareSides = (sides: readonly MeasuredSides[], options: CompareOptions): Comparison =>
  compareCandidates([sides], options)[0] as Comparison;

/**
 * Compares several candidates with what is there, over the same queries: one comparison each, in their order. P values are corrected for all
 * measures of all candidates, so that more candidates do not make a false alarm among them more frequent; detectable effects take that into
 * account. Means, intervals and the p values before the correction are those of a comparison of its own, since the sign patterns and samples
 * are the same for all candidates.
 * @throws RangeError as `compareSides`, or if there is no candidate
 */
export const compareCandidates = (candidates: readonly (readonly MeasuredSides[])[], options: CompareOptions): readonly Comparison[] => {
  const { margin, seed, level, permutations, resamples } = { ...DEFAULTS, ...options };
  checkOptions({ margin, level, permutations, resamples });
  const queries = checkCandidates(candidates);
  const all = candidates.flat();
  const columns = all.map(({ before, after }) => Float64Array.from(after, (value, at) => value - (before[at] ?? 0)));
  const ps = randomisationTest(columns, { permutations, random: new SeededRandom(seed) });
  const adjusted = holm(ps);
  // Another stream than that of the test.
  const intervals = bootstrapIntervals(columns, { resamples, level, random: new SeededRandom(seed ^ 0x5bd1e995) });
  const strictLevel = level / all.length;

  const compared = all.map(({ measure, before, after }, at): MeasureComparison => {
    const interval: Interval = intervals[at] ?? [-1, 1];
    const [p, adjustedP] = [ps[at] ?? 1, adjusted[at] ?? 1];
    const column = columns[at] ?? new Float64Array();
    const [difference, deviation] = [meanOf(column), deviationOf(column)];
    const evidence = { queries, difference, deviation, interval, adjustedP, margin, level, strictLevel };
    const verdict = verdictOf(evidence);
    return {
      ...{ measure, before: meanOf(before), after: meanOf(after), difference, interval, p, adjustedP },
      smallestDetectableEffect: smallestDetectableEffect(deviation, queries, strictLevel),
      verdict,
      ...(verdict === 'undecided' ? { additionalQueries: additionalQueries(evidence) } : {}),
    };
  });
  let from = 0;
  return candidates.map(({ length }) => {
    const measures = compared.slice(from, (from += length));
    const verdict = overallVerdict(measures.map((each) => each.verdict));
    return {
      ...{ queries, margin, level, seed, verdict },
      ...(verdict === 'undecided' ? { additionalQueries: Math.max(...measures.map((each) => each.additionalQueries ?? 0)) } : {}),
      unseenShare: 1 - level ** (1 / queries),
      measures,
    };
  });
};

/** @returns the number of queries */
const checkCandidates = (candidates: readonly (readonly MeasuredSides[])[]): number => {
  const queries = candidates[0]?.[0]?.before.length ?? 0;
  if (candidates.length === 0) throw new RangeError('candidates: expected at least one');
  if (candidates.some(({ length }) => length === 0)) throw new RangeError('measures: expected at least one');
  if (queries === 0) throw new RangeError('queries: expected at least one');
  for (const { measure, before, after } of candidates.flat()) {
    if (before.length !== queries || after.length !== queries)
      throw new RangeError(`${measure}: expected ${queries} queries on both sides, got ${before.length} and ${after.length}`);
    const wrong = [...before, ...after].find((value) => !(value >= 0 && value <= 1));
    if (wrong !== undefined) throw new RangeError(`${measure}: expected values from 0 to 1, got ${wrong}`);
  }
  return queries;
};

const checkOptions = ({ margin, level, permutations, resamples }: Required<Omit<CompareOptions, 'seed'>>): void => {
  for (const [name, value] of Object.entries({ margin, level }))
    if (!(value > 0 && value < 1)) throw new RangeError(`${name}: expected a number above 0 and below 1, got ${value}`);
  for (const [name, value] of Object.entries({ permutations, resamples }))
    if (!Number.isInteger(value) || value < 1_000) throw new RangeError(`${name}: expected a whole number from 1000, got ${value}`);
};
