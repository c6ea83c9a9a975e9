import type { EvaluationView } from '@palimpsest/client';
import { junitReport, type JunitOutcome } from '../render/junit.ts';
import { signed } from '../render/signed.ts';

type View = EvaluationView;
const OUTCOME_OF: Readonly<Record<View['verdict'], JunitOutcome>> = { 'not-worse': 'passed', worse: 'failed', undecided: 'skipped' };

/**
 * The evaluation of a generation as a report of JUnit with one test case, the verdict: measures that do not decide are properties, so that
 * the report never fails where the gate passes.
 */
export const evaluationJunit = ({
  scope,
  generation,
  against,
  verdict,
  reasons,
  decidedBy,
  measures,
  margin,
  seed,
  ...rest
}: View): string =>
  junitReport('palimpsest evaluation of a generation', [
    {
      name: scope,
      properties: {
        ...{ generation, against, decidedBy, margin, seed, from: rest.from, upTo: rest.upTo, evaluatedAt: rest.evaluatedAt },
        ...Object.fromEntries(measures.map((each) => [`${each.measure} (${each.source})`, figuresOf(each)])),
      },
      cases: [
        {
          ...{ name: `${generation} is not worse than ${against}`, outcome: OUTCOME_OF[verdict], type: verdict },
          message: reasons.join('; '),
        },
      ],
    },
  ]);

const figuresOf = ({ queries, before, after, difference, interval, verdict }: View['measures'][number]): string =>
  `${before.toFixed(4)} → ${after.toFixed(4)}, ${signed(difference)} (95 % interval ${interval.map(signed).join(' to ')}) over ${queries} queries: ${verdict}`;
