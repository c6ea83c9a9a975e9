import { compareSides } from '../comparison/compare-sides.ts';
import { MIN_QUERIES, type Verdict } from '../comparison/verdict.ts';
import type { Interval } from '../statistics/bootstrap.ts';
import { quantile } from '../statistics/quantile.ts';

/** The one measure that decides at a gate, and the loss of it that is accepted; docs/explanation/gate.md says why. */
export const GATE_MEASURE = 'nDCG@10';
export const GATE_MARGIN = 0.02;

/** `Verdict` by the names that events use. */
export type GateVerdict = 'not-worse' | 'worse' | 'undecided';
const NAMES: Readonly<Record<Verdict, GateVerdict>> = { 'not worse': 'not-worse', worse: 'worse', undecided: 'undecided' };

/** The measure over all queries of a gate. `better`, `worse`: number of queries. */
export type GateMeasure = Readonly<{
  measure: string;
  queries: number;
  before: number;
  after: number;
  difference: number;
  interval: Interval;
  p: number;
  smallestDetectableEffect: number;
  verdict: GateVerdict;
  additionalQueries?: number;
  better: number;
  worse: number;
}>;

/** The values of the same queries on both sides, compared. Undefined without a query. */
export const gateMeasure = (outcomes: readonly Readonly<{ before: number; after: number }>[], seed: number): GateMeasure | undefined => {
  if (outcomes.length === 0) return undefined;
  const [before, after] = [outcomes.map((each) => each.before), outcomes.map((each) => each.after)];
  const { queries, measures } = compareSides([{ measure: GATE_MEASURE, before, after }], { margin: GATE_MARGIN, seed });
  const [found] = measures;
  if (!found) return undefined;
  const { adjustedP: _, interval, verdict, ...figures } = found;
  return {
    ...figures,
    queries,
    interval: [interval[0], interval[1]],
    verdict: NAMES[verdict],
    better: outcomes.filter((each) => each.after > each.before).length,
    worse: outcomes.filter((each) => each.after < each.before).length,
  };
};

/** Why the verdict is what it is, in a sentence with the figures. */
export const gateReason = ({ queries, measure, difference, interval, verdict, additionalQueries = 0 }: GateMeasure): string => {
  const figures = `${measure} changed by ${signed(difference)} (95 % interval ${signed(interval[0])} to ${signed(interval[1])}) over ${queries} queries`;
  if (verdict === 'not-worse') return `${figures}: a loss beyond ${GATE_MARGIN} is ruled out`;
  if (verdict === 'worse') return `${figures}: there is a loss, and one beyond ${GATE_MARGIN} is not ruled out`;
  return queries < MIN_QUERIES
    ? `${queries} queries are too few: at least ${MIN_QUERIES} are needed, probably ${queries + additionalQueries}`
    : `${figures}: undecided; about ${additionalQueries} more queries would probably decide it`;
};

const signed = (value: number): string => `${value > 0 ? '+' : ''}${value.toFixed(4)}`;

/** Median and 95th percentile of milliseconds, to the microsecond. Undefined without any. */
export const gateLatency = (ms: readonly number[]): Readonly<{ p50: number; p95: number }> | undefined => {
  if (ms.length === 0) return undefined;
  const at = (share: number): number => Math.round((quantile(ms, share) ?? 0) * 1_000) / 1_000;
  return { p50: at(0.5), p95: at(0.95) };
};
