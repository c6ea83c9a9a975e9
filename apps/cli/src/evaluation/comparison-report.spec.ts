import { measureNamed } from '@palimpsest/evaluation';
import { compareRuns } from './compare-runs.ts';
import { comparisonJunit } from './comparison-junit.ts';
import { comparisonReport } from './comparison-report.ts';
import { judgementsFrom } from './judgements-file.ts';
import type { Run } from './trec-run.ts';

const QUERIES = Array.from({ length: 60 }, (_, index) => `q${index}`);
const linesOf = (text: string) => text.split('\n').map((line, index) => ({ text: line, at: `line ${index + 1}` }));
/** A run that has the relevant document of each query at this rank. */
const runWith = (rankOf: (query: number) => number, { right = 'right', names = QUERIES } = {}): Run =>
  new Map(
    names.map((query, index) => {
      const ids = Array.from({ length: 12 }, (_, at) => (at + 1 === rankOf(index) ? right : at === 0 ? 'wrong' : `other${at}`));
      return [query, ids.map((id, at) => ({ id, score: (12 - at) / 7 }))];
    }),
  );

type Setup = Readonly<{
  candidates: Readonly<Record<string, Run>>;
  names?: readonly string[];
  right?: string;
  before?: string;
  grades?: string;
}>;
const comparisonOf = ({ candidates, names = QUERIES, right = 'right', before = 'first.trec', grades }: Setup) => {
  const text = names.map((query) => grades ?? `${query} 0 ${right} 2\n${query} 0 wrong 0`).join('\n');
  const judgements = judgementsFrom(linesOf(text));
  const compared = compareRuns(
    judgements,
    {
      before: { file: before, run: runWith(() => 1, { right, names: [...names] }) },
      after: Object.entries(candidates).map(([file, run]) => ({ file, run })),
    },
    ['nDCG@10', 'R@100'].map(measureNamed),
    { margin: 0.02, seed: 1 },
  );
  if (compared === undefined) throw new Error('expected a comparison');
  return { compared, judgements };
};
const reportOf = (setup: Setup, qrels = 'qrels.tsv'): string => {
  const { compared, judgements } = comparisonOf(setup);
  return comparisonReport(compared, { qrels, judgements });
};
const worse = runWith((query) => (query % 3 === 0 ? 2 : 1));
const few = new Map([...runWith(() => 1)].slice(0, 57));

const MARKUP = `</b>'"&<script>alert(1)</script>\u0007`;
const ESCAPED = '&lt;/b&gt;&#39;&quot;&amp;&lt;script&gt;alert(1)&lt;/script&gt;\ufffd';

describe('The HTML report of a comparison', () => {
  it('has the figures, the verdict in words, both plots and the rankings of queries that changed most', () => {
    const report = reportOf({ candidates: { 'second.trec': worse } });
    expect(report).toContain('<h1>second.trec compared with first.trec</h1>');
    expect(report).toContain('<p><span class="verdict worse">worse</span></p><p>worse: nDCG@10 -0.1230</p>');
    expect(report).toMatch(/<td>nDCG@10<\/td><td>1\.0000<\/td><td>0\.8770<\/td><td>-0\.1230<\/td><td>-0\.\d{4} to -0\.\d{4}<\/td>/);
    expect(report.match(/<svg role="img"/g)).toHaveLength(2);
    expect(report).toContain('<p>20 of 60 queries lose, 0 gain, 40 are the same.</p>');
    // A third of the width, at the lower edge: all losses are the largest one.
    expect(report).toContain('<path class="loss" d="M0.00 90V180.0H226.67V90Z"/>');
    expect(report).not.toContain('class="gain"');
    expect(report).toContain('<h3>Largest losses (nDCG@10)</h3>');
    expect(report).not.toContain('Largest gains');
    const [before, after] = [
      '<ol><li><bdi>right</bdi> <span class="quiet">1.71429</span> <span class="relevant">grade 2</span></li><li><bdi>other1</bdi> <span class="quiet">1.57143</span></li>',
      '<ol><li><bdi>wrong</bdi> <span class="quiet">1.71429</span> <span class="quiet">grade 0</span></li><li><bdi>right</bdi> <span class="quiet">1.57143</span> <span class="relevant">grade 2</span></li>',
    ];
    expect(report).toContain(`<td><bdi>q0</bdi></td><td>1.0000</td><td>0.6309</td><td>-0.3691</td><td>${before}`);
    expect(report).toContain(`and 2 more</span></td><td>${after}`);
  });

  it('has a section and a line of the overview for each run, and the conditions', () => {
    const report = reportOf({ candidates: { 'second.trec': worse, 'few.trec': few } });
    expect(report).toContain('<h1>2 runs compared with first.trec</h1>');
    expect(report).toContain('<tr><td><bdi>second.trec</bdi></td><td>worse: nDCG@10 -0.1230</td></tr><tr><td><bdi>few.trec</bdi></td>');
    expect(report.match(/<h2>.*?<\/h2>/g)).toEqual([
      '<h2><bdi>second.trec</bdi></h2>',
      '<h2><bdi>few.trec</bdi></h2>',
      '<h2>Conditions</h2>',
    ]);
    expect(report).toContain('<span class="quiet">no results: counts as 0</span>');
    for (const condition of [
      '<td><bdi>qrels.tsv</bdi>: 60 queries with a relevant document</td>',
      'Holm, for 2 × 2 tests (measures × runs)',
      'queries without results: <bdi>first.trec</bdi> 0, <bdi>second.trec</bdi> 0, <bdi>few.trec</bdi> 3;',
      '<td>margin</td><td>0.02: the loss',
      '<td>seed</td><td>1: of',
    ])
      expect(report).toContain(condition);
  });

  it('draws gains after losses, and nothing if all queries are the same', () => {
    const report = reportOf({ candidates: { 'same.trec': runWith(() => 1) } });
    expect(report).toContain('<p>0 of 60 queries lose, 0 gain, 60 are the same.</p><h2>Conditions</h2>');
    const { compared, judgements } = comparisonOf({ candidates: { 'second.trec': worse } });
    const { run, file } = compared.candidates[0];
    const back = compareRuns(judgements, { before: { run, file }, after: [compared.before] }, [measureNamed('nDCG@10')], { margin: 0.02, seed: 1 }); // prettier-ignore
    expect(back && comparisonReport(back, { qrels: 'q', judgements })).toContain('<path class="gain" d="M453.33 90V0.0H680.00V90Z"/>');
  });

  it('names the subtopics of a document if the query has several', () => {
    const report = reportOf({ candidates: { 'second.trec': worse }, grades: 'q0 <i> right 1\nq0 2 right 2\nq0 3 right 0\nq0 3 wrong 0' });
    expect(report).toContain('<span class="relevant">grade 2, subtopics &lt;i&gt;, 2</span>');
    expect(report).toContain('<span class="quiet">grade 0</span>');
  });

  it('makes no markup of what files and their names contain, and loads nothing', () => {
    const names = QUERIES.map((query) => query + MARKUP);
    const candidates = { [`a${MARKUP}`]: runWith(() => 12, { names, right: MARKUP }), [`b${MARKUP}`]: new Map() };
    const report = reportOf({ candidates, names, right: MARKUP, before: `c${MARKUP}` }, `d${MARKUP}`);
    for (const name of ['a', 'b', 'c', 'd', 'q0']) expect(report).toContain(`<bdi>${name}${ESCAPED}</bdi>`);
    expect(report).toContain(`<bdi>${ESCAPED}</bdi> <span class="quiet">1.71429</span> <span class="relevant">grade 2</span>`);
    expect(report).not.toContain('\u0007');
    const tags = new Set(report.match(/<\/?[^\s>/]*/g));
    const known =
      'bdi body circle code h1 h2 h3 h4 head html li line meta ol p path span style svg table tbody td text th thead title tr !doctype';
    expect([...tags].filter((tag) => !known.split(' ').includes(tag.replace(/^<\/?/, '')))).toEqual([]);
    expect(report).not.toMatch(/https?:|src=|url\(|@import|href/);
    expect(report).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
  });
});

describe('The JUnit report of a comparison', () => {
  const junitOf = (setup: Setup, qrels = 'qrels.tsv'): string => comparisonJunit(comparisonOf(setup).compared, qrels);

  it('has a test case for each run and measure: worse fails, undecided is skipped', () => {
    const lines = junitOf({ candidates: { 'second.trec': worse, 'few.trec': few } }).split('\n');
    expect(lines.slice(0, 3)).toEqual([
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<testsuites name="palimpsest eval compare" tests="4" failures="1" errors="0" skipped="2">',
      '  <testsuite name="second.trec" tests="2" failures="1" errors="0" skipped="0" time="0">',
    ]);
    expect(lines.slice(3, 11).map((line) => line.trim())).toEqual([
      '<properties>',
      ...['before="first.trec"', 'qrels="qrels.tsv"', 'queries="60"', 'margin="0.02"', 'level="0.05"', 'seed="1"'].map(
        (each) => `<property name="${each.split('=')[0]}" value=${each.split('=')[1]}/>`,
      ),
      '</properties>',
    ]);
    const cases = lines.slice(11).join('\n');
    expect(cases).toMatch(
      /^ {4}<testcase classname="second\.trec" name="nDCG@10" time="0">\n {6}<failure message="nDCG@10 1\.0000 → 0\.8770, -0\.1230 \(95 % interval -0\.\d{4} to -0\.\d{4}, p \(Holm\) 0\.0004\) over 60 queries, margin 0\.02: worse" type="worse"\/>\n {4}<\/testcase>\n {4}<testcase classname="second\.trec" name="R@100" time="0"\/>\n {2}<\/testsuite>\n/,
    );
    expect(cases).toMatch(
      /<testcase classname="few\.trec" name="R@100" time="0">\n {6}<skipped message="[^"]+: undecided, about \d+ more queries would probably decide it"\/>\n {4}<\/testcase>\n {2}<\/testsuite>\n<\/testsuites>\n$/,
    );
  });

  it('is valid XML whatever files are called', () => {
    const junit = junitOf({ candidates: { [`a${MARKUP}\n\ud800`]: worse }, before: `c${MARKUP}\u0000` }, 'd\ufffe');
    expect(junit).toContain(`<testsuite name="a${ESCAPED} \ufffd" tests="2"`);
    expect(junit).toContain(`<property name="before" value="c${ESCAPED}\ufffd"/>`);
    expect(junit).toContain('<property name="qrels" value="d\ufffd"/>');
    // Elements, attributes and entities, and nothing else.
    const attribute = String.raw` [a-z]+="(?:[^<&"]|&(?:amp|lt|gt|quot|#39);)*"`;
    const left = junit.slice(junit.indexOf('\n')).replaceAll(new RegExp(`<[a-z]+(?:${attribute})*/?>|</[a-z]+>`, 'g'), '');
    expect(left.trim()).toBe('');
  });
});
