import { compareSides, MIN_QUERIES, quantile, type Verdict } from '@palimpsest/evaluation';
import type {
  EvaluationAgreement,
  EvaluationLatency,
  EvaluationMeasure,
  EvaluationVerdict,
  QuerySource,
} from '@palimpsest/knowledge/evaluation';
import { MEASURE, type QueryOutcome } from './run-queries.ts';

/** The loss of nDCG@10 that is accepted; docs/explanation/gate.md says why. */
export const MARGIN = 0.02;

const NAMES: Readonly<Record<Verdict, EvaluationVerdict>> = { 'not worse': 'not-worse', worse: 'worse', undecided: 'undecided' };

export type Decided = Readonly<{
  verdict: EvaluationVerdict;
  reasons: readonly string[];
  decidedBy: QuerySource | 'faults';
  additionalQueries?: number;
}>;

export const measureOf = (source: QuerySource, outcomes: readonly QueryOutcome[], seed: number): EvaluationMeasure | undefined => {
  const ofSource = outcomes.filter(({ query }) => query.source === source);
  if (ofSource.length === 0) return undefined;
  const [before, after] = [ofSource.map((each) => each.before), ofSource.map((each) => each.after)];
  const { queries, measures } = compareSides([{ measure: MEASURE, before, after }], { margin: MARGIN, seed });
  const [found] = measures;
  if (!found) return undefined;
  const { adjustedP: _, interval, verdict, ...figures } = found;
  return {
    source,
    ...figures,
    queries,
    interval: [interval[0], interval[1]],
    verdict: NAMES[verdict],
    better: ofSource.filter((each) => each.after > each.before).length,
    worse: ofSource.filter((each) => each.after < each.before).length,
  };
};

/** Golden queries decide if there are enough of them, otherwise self-queries. Faults of the vectors themselves need no statistics. */
export const decide = (
  measures: readonly EvaluationMeasure[],
  faults: Readonly<{ unexplained: number; mismatched: number; checked: number; lowest?: number }>,
): Decided => {
  const found = faultsOf(faults);
  if (found.length > 0) return { verdict: 'worse', reasons: found, decidedBy: 'faults' };
  const golden = measures.find(({ source }) => source === 'golden');
  const deciding = golden && golden.queries >= MIN_QUERIES ? golden : measures.find(({ source }) => source === 'self');
  if (!deciding)
    return {
      verdict: 'undecided',
      reasons: [`no query could be asked on both sides; at least ${MIN_QUERIES} are needed`],
      decidedBy: 'self',
      additionalQueries: MIN_QUERIES,
    };
  const { verdict, source, additionalQueries } = deciding;
  return {
    verdict,
    reasons: [reasonOf(deciding), ...(source === 'self' ? [whySelf(golden?.queries ?? 0)] : [])],
    decidedBy: source,
    ...(additionalQueries === undefined ? {} : { additionalQueries }),
  };
};

const faultsOf = ({ unexplained, mismatched, checked, lowest = 0 }: Parameters<typeof decide>[1]): readonly string[] => [
  ...(unexplained > 0 ? [`${unexplained} chunks have no vector, and the model did not refuse them`] : []),
  ...(mismatched > 0
    ? [`${mismatched} of ${checked} chunks have another vector than the model returns for their text (lowest cosine ${lowest.toFixed(3)})`]
    : []),
];

const reasonOf = ({ queries, measure, difference, interval, verdict, additionalQueries = 0 }: EvaluationMeasure): string => {
  const figures = `${measure} changed by ${signed(difference)} (95 % interval ${signed(interval[0])} to ${signed(interval[1])}) over ${queries} queries`;
  if (verdict === 'not-worse') return `${figures}: a loss beyond ${MARGIN} is ruled out`;
  if (verdict === 'worse') return `${figures}: there is a loss, and one beyond ${MARGIN} is not ruled out`;
  return queries < MIN_QUERIES
    ? `${queries} queries are too few: at least ${MIN_QUERIES} are needed, probably ${queries + additionalQueries}`
    : `${figures}: undecided; about ${additionalQueries} more queries would probably decide it`;
};

const whySelf = (golden: number): string =>
  `decided by passages of the scope as queries, because ${golden === 0 ? 'there are no' : `${golden} are too few`} judged queries`;

const signed = (value: number): string => `${value > 0 ? '+' : ''}${value.toFixed(4)}`;

export const agreementOf = (outcomes: readonly Omit<QueryOutcome, 'query'>[]): EvaluationAgreement | undefined =>
  outcomes.length === 0
    ? undefined
    : {
        overlap: mean(outcomes.map(({ overlap }) => overlap)),
        rbo: mean(outcomes.map(({ rbo }) => rbo)),
        scoreShift: mean(outcomes.flatMap(({ scoreShift }) => scoreShift ?? [])),
        rankShift: mean(outcomes.flatMap(({ rankShift }) => rankShift ?? [])),
      };

export const latencyOf = (
  outcomes: readonly QueryOutcome[],
): Readonly<{ before: EvaluationLatency; after: EvaluationLatency }> | undefined => {
  if (outcomes.length === 0) return undefined;
  const of = (side: 0 | 1): EvaluationLatency => {
    const times = outcomes.map(({ ms }) => ms[side]);
    const at = (share: number): number => Math.round((quantile(times, share) ?? 0) * 1_000) / 1_000;
    return { p50: at(0.5), p95: at(0.95) };
  };
  return { before: of(0), after: of(1) };
};

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
