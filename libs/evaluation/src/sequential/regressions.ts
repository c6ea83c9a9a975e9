import { rankSum } from '../statistics/rank-sum.ts';
import { shareAbove } from '../statistics/share-above.ts';

/** One query: whether it had no result, and what was measured of it. */
export type Observation = Readonly<{ empty: boolean; latency?: number; score?: number; agreement?: number }>;

/** `emptyShare`: added; `slowdown`: a factor; the others: the part that may be lost. */
export type Tolerances = Readonly<{ emptyShare: number; slowdown: number; scoreDrop: number; agreementDrop: number }>;

export type Regression = Readonly<{
  measure: 'empty' | 'latency' | 'score' | 'agreement';
  tried: number;
  baseline: number;
  p: number;
  level: number;
}>;

/** Both sides are compared each time the tried side has this number of further queries, by its latest `WINDOW` queries. */
export const LOOK_EVERY = 25;
export const WINDOW = 100;
/** Latest queries of the baseline. */
export const BASELINE_WINDOW = 500;
/** The probability of any false alarm, over all looks and measures, however long the comparison runs. */
export const ERROR_RATE = 0.05;
const MEASURES = 4;
const MIN_BASELINE = 25;

/** Whether the sides are compared after this number of queries. */
export const isLook = (queries: number): boolean => queries > 0 && queries % LOOK_EVERY === 0;

/**
 * The level of the tests at the k-th look: the error rate, divided among the measures and, by 1 / (k (k + 1)), among all looks that will
 * ever be. The sum over all k is 1, so by Boole's inequality no number of looks exceeds the error rate, though the windows overlap.
 */
const levelAt = (look: number): number => ERROR_RATE / MEASURES / (look * (look + 1));

/**
 * What is worse on the tried side than the tolerances permit. The hypothesis that is rejected is "just within the tolerance": the values of
 * the baseline are moved by the tolerance, and a rank-sum test asks whether those of the tried side are still worse.
 */
export const regressions = (
  tried: readonly Observation[],
  baseline: readonly Observation[],
  tolerances: Tolerances,
  look: number,
): readonly Regression[] => {
  const level = levelAt(look);
  const [here, there] = [tried.slice(-WINDOW), baseline.slice(-BASELINE_WINDOW)];
  if (here.length < LOOK_EVERY || there.length < MIN_BASELINE) return [];
  const found = [
    emptyAnswers(here, there, tolerances.emptyShare),
    ranked('latency', here, there, (value) => value * tolerances.slowdown, 'higher'),
    ranked('score', here, there, (value) => lowered(value, tolerances.scoreDrop), 'lower'),
    ranked('agreement', here, there, (value) => lowered(value, tolerances.agreementDrop), 'lower'),
  ];
  return found.filter(({ p }) => p <= level).map((one) => ({ ...one, level }));
};

/** A part is lost of what is above zero; below, there is nothing to lose a part of. */
const lowered = (value: number, drop: number): number => (value > 0 ? value * (1 - drop) : value);

const shareOf = (side: readonly Observation[]) => ({ of: side.length, count: side.filter(({ empty }) => empty).length });

const emptyAnswers = (here: readonly Observation[], there: readonly Observation[], margin: number): Omit<Regression, 'level'> => {
  const [share, other] = [shareOf(here), shareOf(there)];
  return { measure: 'empty', tried: share.count / share.of, baseline: other.count / other.of, p: shareAbove(share, other, margin) };
};

const ranked = (
  measure: 'latency' | 'score' | 'agreement',
  here: readonly Observation[],
  there: readonly Observation[],
  tolerated: (value: number) => number,
  worse: 'higher' | 'lower',
): Omit<Regression, 'level'> => {
  const valuesOf = (side: readonly Observation[]): readonly number[] => side.flatMap((one) => one[measure] ?? []);
  const [mine, others] = [valuesOf(here), valuesOf(there)];
  const middle = measure === 'latency' ? median : mean;
  const enough = mine.length >= LOOK_EVERY && others.length >= MIN_BASELINE;
  const moved = others.map(tolerated);
  // Turned around, low values are high ones.
  const [high, low] = worse === 'higher' ? [mine, moved] : [mine.map((value) => -value), moved.map((value) => -value)];
  return { measure, tried: middle(mine), baseline: middle(others), p: enough ? rankSum(high, low) : 1 };
};

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0;
