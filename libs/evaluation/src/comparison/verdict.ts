import type { Interval } from '../statistics/bootstrap.ts';
import { queriesToDetect } from '../statistics/power.ts';

/**
 * - `not worse`: a loss of more than the margin is ruled out.
 * - `worse`: there is a loss, and one of more than the margin is not ruled out.
 * - `undecided`: these queries do not show either.
 */
export type Verdict = 'not worse' | 'worse' | 'undecided';

/**
 * Fewer queries are always undecided. Below 50, orderings of systems change too often from one set of queries to the next (C. Buckley and
 * E. Voorhees, "Evaluating evaluation measure stability", SIGIR 2000), and the intervals here were measured from 50 on
 * (docs/explanation/gate.md).
 */
export const MIN_QUERIES = 50;

/** What is known of one measure. `level` is that of the interval, `strictLevel` that of the first step of Holm's correction. */
export type MeasureEvidence = Readonly<{
  queries: number;
  difference: number;
  deviation: number;
  interval: Interval;
  adjustedP: number;
  margin: number;
  level: number;
  strictLevel: number;
}>;

export const verdictOf = ({ queries, difference, interval, adjustedP, margin, level }: MeasureEvidence): Verdict => {
  if (queries < MIN_QUERIES) return 'undecided';
  if (interval[0] >= -margin) return 'not worse';
  return difference < 0 && adjustedP <= level ? 'worse' : 'undecided';
};

/**
 * How many more queries decide it with 80 % probability, if difference and deviation stay what they are: enough to rule out a loss of more
 * than the margin, or to show a loss, whichever takes fewer. At least 1, and at least what is missing to the minimum.
 */
export const additionalQueries = ({ queries, difference, deviation, margin, level, strictLevel }: MeasureEvidence): number => {
  const toPass = difference > -margin ? queriesToDetect(difference + margin, deviation, level) : Number.POSITIVE_INFINITY;
  const toFail = difference < 0 ? queriesToDetect(-difference, deviation, strictLevel) : Number.POSITIVE_INFINITY;
  return Math.max(MIN_QUERIES, Math.min(toPass, toFail), queries + 1) - queries;
};

/** One verdict on all measures, or on all candidates: worse if any is worse, not worse only if all are not worse. */
export const overallVerdict = (verdicts: readonly Verdict[]): Verdict => {
  if (verdicts.includes('worse')) return 'worse';
  return verdicts.length > 0 && verdicts.every((verdict) => verdict === 'not worse') ? 'not worse' : 'undecided';
};
