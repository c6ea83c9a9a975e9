import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { aFolder, run } from '../../test/run.ts';

const QUERIES = Array.from({ length: 60 }, (_, index) => `q${index}`);
/** A run that has the relevant document of each query at this rank. */
const runWith = (rankOf: (query: number) => number): string =>
  QUERIES.flatMap((query, index) =>
    Array.from({ length: 4 }, (_, at) => `${query} Q0 ${at + 1 === rankOf(index) ? 'right' : `other${at}`} ${at + 1} ${10 - at} test\n`),
  ).join('');

let folder: Awaited<ReturnType<typeof aFolder>>;
beforeEach(async () => {
  folder = await aFolder({
    'qrels.tsv': `query-id\tcorpus-id\tscore\n${QUERIES.map((query) => `${query}\tright\t1\n`).join('')}unjudged\tright\t0\n`,
    'first.trec': runWith(() => 1),
    'second.trec': runWith((query) => (query % 3 === 0 ? 2 : 1)),
    'noisy.trec': runWith((query) => (query === 7 ? 3 : 1)),
  });
});
afterEach(() => folder.remove());
const compare = (...args: string[]) => run(['eval', 'compare', ...args], { cwd: folder.path });

describe('palimpsest eval compare', () => {
  it('prints figures, verdict and the queries that lost most, and exits with 1 for a run that is worse', async () => {
    const { code, out, err } = await compare('first.trec', 'second.trec', '--qrels', 'qrels.tsv');
    expect([code, err]).toEqual([1, '']);
    expect(out).toContain('before: first.trec; after: second.trec; 60 queries, margin 0.02, seed 1');
    // A third of the queries loses 1 - 1 / log2(3).
    expect(out).toMatch(/nDCG@10\s+1\.0000\s+0\.8770\s+-0\.1230\s+-0\.\d{4} to -0\.\d{4}\s+0\.0004\s+\d\.\d{4}\s+worse\n/);
    expect(out).toMatch(/R@100\s+1\.0000\s+1\.0000\s+0\.0000\s+0\.0000 to 0\.0000\s+1\.0000\s+0\.0000\s+not worse\n/);
    expect(out).toContain('worse: nDCG@10 -0.1230, RR@10 -0.1667');
    expect(out).toMatch(/largest losses \(nDCG@10\)\s+before\s+after\s+difference\nq0\s+1\.0000\s+0\.6309\s+-0\.3691\n/);
    expect(out).not.toContain('largest gains');
  });

  it('exits with 0 for a run that is not worse', async () => {
    const { code, out } = await compare('second.trec', 'first.trec', '--qrels', 'qrels.tsv');
    expect(code).toBe(0);
    expect(out).toContain('not worse: no measure loses more than 0.02. Up to 4.9 % of all queries could differ');
    expect(out).toContain('largest gains (nDCG@10)');
  });

  it('exits with 3 if the queries do not decide it', async () => {
    const { code, out } = await compare('first.trec', 'noisy.trec', '--qrels', 'qrels.tsv', '--margin', '0.005', '--measure', 'RR@10');
    expect(code).toBe(3);
    expect(out).toMatch(/undecided: about \d+ more queries would probably decide it/);
  });

  it('is undecided with fewer than 50 queries', async () => {
    await writeFile(join(folder.path, 'few.qrels'), QUERIES.slice(0, 20).map((query) => `${query} 0 right 1\n`).join('')); // prettier-ignore
    const { code, out } = await compare('first.trec', 'second.trec', '--qrels', 'few.qrels');
    expect(code).toBe(3);
    expect(out).toContain('undecided: at least 50 queries are needed, probably 50');
  });

  it('refuses options of `eval` instead of ignoring them', async () => {
    const { code, err } = await compare('first.trec', 'second.trec', '--qrels', 'qrels.tsv', '--run', 'other.trec');
    expect([code, err]).toEqual([2, expect.stringContaining("unknown option '--run'")]);
  });

  it('prints JSON, the same for the same seed', async () => {
    const args = ['first.trec', 'second.trec', '--qrels', 'qrels.tsv', '--measure', 'RR@10', '--json'];
    const { code, out } = await compare(...args);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      ...{ before: 'first.trec', after: 'second.trec', queries: 60, margin: 0.02, level: 0.05, seed: 1, verdict: 'worse' },
      withoutResults: { before: 0, after: 0 },
      measures: [{ measure: 'RR@10', before: 1, verdict: 'worse' }],
      worst: [{ query: 'q0', before: 1, after: 0.5, difference: -0.5 }, {}, {}, {}, {}],
      best: [],
    });
    expect((await compare(...args)).out).toBe(out);
    expect((await compare(...args, '--seed', '2')).out).not.toBe(out);
  });

  it('counts a query without results as 0, and says so', async () => {
    await writeFile(join(folder.path, 'half.trec.gz'), gzipSync(runWith(() => 1).split('\n').slice(0, 120).join('\n'))); // prettier-ignore
    const { out } = await compare('first.trec', 'half.trec.gz', '--qrels', 'qrels.tsv');
    expect(out).toContain('half.trec.gz has no results for 30 of them, which count as 0');
    expect(out).toMatch(/Success@10\s+1\.0000\s+0\.5000/);
  });

  it.each([
    ['broken.trec', 'q1 Q0 a 1 1 t\nq1 Q0 b x\n', 'broken.trec line 2: expected the six columns of a TREC run'],
    ['broken.trec', 'q1 Q0 a 1 high t\n', 'broken.trec line 1: expected the six columns of a TREC run'],
    ['broken.trec', 'q1 Q0 a 1 2 t\n\nq1 Q0 a 2 1 t\n', 'broken.trec line 3: expected each document once per query, got a again for q1'],
    ['broken.trec', 'other Q0 a 1 1 t\n', ''],
    ['broken.trec.gz', 'q1 Q0 a 1 1 t\n', 'broken.trec.gz: expected a gzip file'],
  ])('names file, line and what it expected: %s %j', async (name, text, message) => {
    await writeFile(join(folder.path, name), text);
    const { code, err } = await compare('first.trec', name, '--qrels', 'qrels.tsv');
    expect([code, err]).toEqual(message === '' ? [1, ''] : [2, expect.stringContaining(message)]);
  });

  it.each([
    ['q1 0 right 1\nq1 0 right\n', 'broken.qrels line 2: expected query, document and a whole number as grade'],
    ['q1\tright\t0.5\nq2\tright\t0.5\n', 'broken.qrels line 1: expected query, document and a whole number as grade'],
    ['q1 0 right\n', 'broken.qrels line 1: expected query, document and a whole number as grade'],
    ['q1 0 right 1\nq1 0 right 2\n', 'broken.qrels line 2: expected one grade for document right of query q1, got 2 after 1'],
    ['nothing 0 right 1\n', 'expected queries with a relevant document in broken.qrels that are in first.trec or second.trec, found none'],
  ])('names what is wrong with the judgements: %j', async (text, message) => {
    await writeFile(join(folder.path, 'broken.qrels'), text);
    const { code, err } = await compare('first.trec', 'second.trec', '--qrels', 'broken.qrels');
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });

  it('refuses a missing file, an unknown measure and a margin of 0', async () => {
    expect((await compare('none.trec', 'first.trec', '--qrels', 'qrels.tsv')).err).toContain('none.trec: no such file');
    const unknown = await compare('first.trec', 'first.trec', '--qrels', 'qrels.tsv', '--measure', 'MRR');
    expect(unknown).toMatchObject({ code: 2, err: expect.stringContaining('measure "MRR": expected one of nDCG') });
    const margin = await compare('first.trec', 'first.trec', '--qrels', 'qrels.tsv', '--margin', '0');
    expect(margin).toMatchObject({ code: 2, err: expect.stringContaining('Must be a number above 0 and below 1.') });
  });

  it('measures diversity by the subtopics in the second column, and the other measures by the highest grade', async () => {
    const subtopics = (query: string) => `${query} 1 right 1\n${query} 2 right 0\n${query} 2 other1 1\n${query} 1 other2 1\n`;
    await writeFile(join(folder.path, 'diversity.qrels'), QUERIES.map(subtopics).join(''));
    const args = ['--qrels', 'diversity.qrels', '--measure', 'alpha_nDCG@2', '--measure', 'P@1', '--json'];
    const { code, out } = await compare('first.trec', 'second.trec', ...args);
    expect(code).toBe(1);
    const { measures } = JSON.parse(out) as { measures: { measure: string; before: number; after: number }[] };
    // first: right, other1. A third of second: other0, right, so 1 / log2(3) over 1 + 1 / log2(3)
    const third = 1 / Math.log2(3) / (1 + 1 / Math.log2(3));
    expect(measures.map(({ measure }) => measure)).toEqual(['alpha_nDCG@2', 'P@1']);
    expect(measures[0]?.before).toBeCloseTo(1, 12);
    expect(measures[0]?.after).toBeCloseTo((2 + third) / 3, 12);
    expect(measures[1]).toMatchObject({ before: 1, after: 2 / 3 });
  });

  it('refuses a measure of diversity without subtopics, and two grades for one subtopic', async () => {
    const plain = await compare('first.trec', 'second.trec', '--qrels', 'qrels.tsv', '--measure', 'alpha_nDCG@10');
    expect(plain).toMatchObject({ code: 2, err: expect.stringContaining('measure alpha_nDCG@10: expected judgements with subtopics') });
    await writeFile(join(folder.path, 'broken.qrels'), 'q1 1 right 1\nq1 2 right 2\nq1 2 right 1\n');
    const twice = await compare('first.trec', 'second.trec', '--qrels', 'broken.qrels');
    expect(twice).toMatchObject({ code: 2, err: expect.stringContaining('broken.qrels line 3: expected one grade for document right') });
  });
});

describe('palimpsest eval compare, with several runs', () => {
  it('prints the comparison of each run and all verdicts, and exits with the worst of them', async () => {
    const { code, out, err } = await compare('first.trec', 'noisy.trec', 'second.trec', '--qrels', 'qrels.tsv', '--margin', '0.005');
    expect([code, err]).toEqual([1, '']);
    expect(out.match(/^before: first\.trec; after: \w+\.trec; 60 queries, margin 0\.005, seed 1$/gm)).toHaveLength(2);
    expect(out).toContain('undecided: about');
    expect(out).toContain('worse: nDCG@10 -0.1230, RR@10 -0.1667');
    expect(out).toMatch(/\n\ncompared with first\.trec\s+verdict\nnoisy\.trec\s+undecided\nsecond\.trec\s+worse\n$/);
  });

  it.each([
    [['noisy.trec', 'first.trec'], 3],
    [['first.trec', './first.trec'], 0],
  ])('compares %j with exit code %i', async (after, expected) => {
    const { code } = await compare('first.trec', ...after, '--qrels', 'qrels.tsv', '--margin', '0.005');
    expect(code).toBe(expected);
  });

  it('prints JSON with a list of comparisons, whose p values are corrected for all of them', async () => {
    const options = ['--qrels', 'qrels.tsv', '--measure', 'RR@10', '--json'];
    const { code, out } = await compare('first.trec', 'second.trec', 'noisy.trec', ...options);
    expect(code).toBe(1);
    const alone = JSON.parse((await compare('first.trec', 'second.trec', ...options)).out) as { measures: [{ p: number }] };
    const { runs, ...rest } = JSON.parse(out) as { runs: Record<string, unknown>[] };
    expect(rest).toEqual({ before: 'first.trec', verdict: 'worse' });
    expect(runs.map(({ before, after }) => [before, after])).toEqual([['first.trec', 'second.trec'], ['first.trec', 'noisy.trec']]); // prettier-ignore
    const [{ p }] = alone.measures;
    expect(runs[0]).toMatchObject({ ...alone, measures: [{ p, adjustedP: 2 * p, smallestDetectableEffect: expect.any(Number) }] });
    expect(runs[1]).toMatchObject({
      verdict: 'undecided',
      additionalQueries: expect.any(Number),
      withoutResults: { before: 0, after: 0 },
      worst: [{ query: 'q7' }],
    });
  });

  it('refuses a run that is named twice, and names every file of runs without judged queries', async () => {
    const twice = await compare('first.trec', 'second.trec', 'second.trec', '--qrels', 'qrels.tsv');
    expect(twice).toMatchObject({
      code: 2,
      err: expect.stringContaining('expected each run once after first.trec, got second.trec again'),
    });
    await writeFile(join(folder.path, 'other.qrels'), 'nothing 0 right 1\n');
    const none = await compare('first.trec', 'second.trec', 'noisy.trec', '--qrels', 'other.qrels');
    expect(none).toMatchObject({
      code: 2,
      err: expect.stringContaining('that are in first.trec or second.trec or noisy.trec, found none'),
    });
  });
});

describe('palimpsest eval compare, reports', () => {
  const all = ['first.trec', 'second.trec', 'noisy.trec', '--qrels', 'qrels.tsv', '--margin', '0.005'];

  it('writes an HTML file and a JUnit file, the same for the same seed, and prints what it prints without them', async () => {
    const plain = await compare(...all);
    const { code, out, err } = await compare(...all, '--html', 'report.html', '--junit', 'junit.xml');
    expect({ code, out }).toEqual({ code: plain.code, out: plain.out });
    expect(err).toBe('report written to report.html\nreport written to junit.xml\n');
    const read = (name: string) => readFile(join(folder.path, name), 'utf8');
    expect(await read('report.html')).toContain('<h1>2 runs compared with first.trec</h1>');
    expect(await read('junit.xml')).toContain('<testsuites name="palimpsest eval compare" tests="8" failures="2" errors="0" skipped="2">');
    await compare(...all, '--html', 'again.html', '--junit', 'again.xml');
    expect([await read('again.html'), await read('again.xml')]).toEqual([await read('report.html'), await read('junit.xml')]);
  });

  it('overwrites no file, and writes nothing if one of them exists', async () => {
    const before = await readFile(join(folder.path, 'first.trec'), 'utf8');
    const { code, err } = await compare(...all, '--html', 'report.html', '--junit', 'first.trec');
    expect([code, err]).toEqual([2, expect.stringContaining('first.trec exists; name another file')]);
    expect(await readFile(join(folder.path, 'first.trec'), 'utf8')).toBe(before);
    expect(await readdir(folder.path)).not.toContain('report.html');
    expect((await compare(...all, '--html', 'one', '--junit', 'one')).err).toContain('one: expected another file for each output');
    expect((await compare(...all, '--html', 'none/one')).err).toContain('none/one: its folder does not exist');
  });
});
