import { gateLatency, gateMeasure, gateReason, MIN_QUERIES } from '@palimpsest/evaluation';
import type {
  EvaluationAgreement,
  EvaluationLatency,
  EvaluationMeasure,
  EvaluationVerdict,
  QuerySource,
} from '@palimpsest/knowledge/evaluation';
import type { QueryOutcome } from './run-queries.ts';

export type Decided = Readonly<{
  verdict: EvaluationVerdict;
  reasons: readonly string[];
  decidedBy: QuerySource | 'faults';
  additionalQueries?: number;
}>;

export const measureOf = (source: QuerySource, outcomes: readonly QueryOutcome[], seed: number): EvaluationMeasure | undefined => {
  const measure = gateMeasure(
    outcomes.filter(({ query }) => query.source === source),
    seed,
  );
  return measure && { source, ...measure };
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
    reasons: [gateReason(deciding), ...(source === 'self' ? [whySelf(golden?.queries ?? 0)] : [])],
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

const whySelf = (golden: number): string =>
  `decided by passages of the scope as queries, because ${golden === 0 ? 'there are no' : `${golden} are too few`} judged queries`;

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
  const [before, after] = ([0, 1] as const).map((side) => gateLatency(outcomes.map(({ ms }) => ms[side])));
  return before && after && { before, after };
};

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
