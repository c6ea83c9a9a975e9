import type { Verdict } from '@palimpsest/evaluation';
import { junitReport, type JunitOutcome } from '../render/junit.ts';
import type { ComparedRuns } from './compare-runs.ts';
import { measureConclusion } from './conclusion.ts';

const OUTCOME_OF: Readonly<Record<Verdict, JunitOutcome>> = { 'not worse': 'passed', worse: 'failed', undecided: 'skipped' };

/** The comparison as a report of JUnit: a suite for each run, a test case for each measure. An undecided measure is a skipped test. */
export const comparisonJunit = ({ before, candidates }: ComparedRuns, qrels: string): string =>
  junitReport(
    'palimpsest eval compare',
    candidates.map(({ file, comparison }) => {
      const { queries, margin, level, seed } = comparison;
      return {
        name: file,
        properties: { before: before.file, qrels, queries, margin, level, seed },
        cases: comparison.measures.map((measure) => ({
          ...{ name: measure.measure, outcome: OUTCOME_OF[measure.verdict], type: measure.verdict },
          message: measureConclusion(measure, comparison),
        })),
      };
    }),
  );
