import { escaped } from './markup.ts';

/** Reports of JUnit, as CI systems read them. */

export type JunitOutcome = 'passed' | 'failed' | 'skipped';
/** `message`: why it did not pass. `type`: of a failure. */
export type JunitCase = Readonly<{ name: string; outcome: JunitOutcome; type: string; message: string }>;
export type JunitSuite = Readonly<{ name: string; properties: Readonly<Record<string, string | number>>; cases: readonly JunitCase[] }>;

export const junitReport = (name: string, suites: readonly JunitSuite[]): string =>
  [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name, ...counts(suites.flatMap(({ cases }) => cases)) })}>`,
    ...suites.flatMap(suite),
    '</testsuites>\n',
  ].join('\n');

const suite = ({ name, properties, cases }: JunitSuite): readonly string[] => [
  `  <testsuite${attributes({ name, ...counts(cases), time: 0 })}>`,
  '    <properties>',
  ...Object.entries(properties).map((property) => `      <property${attributes({ name: property[0], value: property[1] })}/>`),
  '    </properties>',
  ...cases.flatMap((each) => {
    const opening = `    <testcase${attributes({ classname: name, name: each.name, time: 0 })}`;
    if (each.outcome === 'passed') return [`${opening}/>`];
    const { message, type } = each;
    const outcome = each.outcome === 'failed' ? `failure${attributes({ message, type })}` : `skipped${attributes({ message })}`;
    return [`${opening}>`, `      <${outcome}/>`, '    </testcase>'];
  }),
  '  </testsuite>',
];

const counts = (cases: readonly JunitCase[]) => {
  const of = (outcome: JunitOutcome): number => cases.filter((each) => each.outcome === outcome).length;
  return { tests: cases.length, failures: of('failed'), errors: 0, skipped: of('skipped') };
};

/** Parsers replace a line break in an attribute by a space, so that is what they get. */
const attributes = (values: Readonly<Record<string, string | number>>): string =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(value).replaceAll(/[\t\n\r]/g, ' ')}"`)
    .join('');
