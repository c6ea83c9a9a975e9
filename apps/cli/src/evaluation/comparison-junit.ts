import type { Verdict } from '@palimpsest/evaluation';
import { escaped } from '../render/markup.ts';
import type { Candidate, ComparedRuns } from './compare-runs.ts';
import { measureConclusion } from './conclusion.ts';

/** The comparison as a report of JUnit: a suite for each run, a test case for each measure. An undecided measure is a skipped test. */
export const comparisonJunit = ({ before, candidates }: ComparedRuns, qrels: string): string => {
  const verdicts = candidates.flatMap(verdictsOf);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: 'palimpsest eval compare', ...counts(verdicts) })}>`,
    ...candidates.flatMap((candidate) => suite(candidate, before.file, qrels)),
    '</testsuites>\n',
  ].join('\n');
};

const suite = (candidate: Candidate, before: string, qrels: string): readonly string[] => {
  const { file, comparison } = candidate;
  const { queries, margin, level, seed } = comparison;
  return [
    `  <testsuite${attributes({ name: file, ...counts(verdictsOf(candidate)), time: 0 })}>`,
    '    <properties>',
    ...Object.entries({ before, qrels, queries, margin, level, seed }).map(
      ([name, value]) => `      <property${attributes({ name, value })}/>`,
    ),
    '    </properties>',
    ...comparison.measures.flatMap((measure) => {
      const opening = `    <testcase${attributes({ classname: file, name: measure.measure, time: 0 })}`;
      if (measure.verdict === 'not worse') return [`${opening}/>`];
      const message = measureConclusion(measure, comparison);
      const outcome =
        measure.verdict === 'worse' ? `failure${attributes({ message, type: 'worse' })}` : `skipped${attributes({ message })}`;
      return [`${opening}>`, `      <${outcome}/>`, '    </testcase>'];
    }),
    '  </testsuite>',
  ];
};

const verdictsOf = ({ comparison }: Candidate): readonly Verdict[] => comparison.measures.map(({ verdict }) => verdict);

const counts = (verdicts: readonly Verdict[]) => {
  const of = (verdict: Verdict): number => verdicts.filter((each) => each === verdict).length;
  return { tests: verdicts.length, failures: of('worse'), errors: 0, skipped: of('undecided') };
};

/** Parsers replace a line break in an attribute by a space, so that is what they get. */
const attributes = (values: Readonly<Record<string, string | number>>): string =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(value).replaceAll(/[\t\n\r]/g, ' ')}"`)
    .join('');
