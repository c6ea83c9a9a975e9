import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { evaluation } from '../../test/an-evaluation.ts';
import { FakePlatform } from '../../test/fake-platform.ts';
import { aFolder, run } from '../../test/run.ts';

const EVALUATE = 'POST /v1/scopes/team:red/swap/evaluation';
const RUN = { run: 'r1', state: 'complete', by: 'person', startedAt: '2026-11-22T07:59:00.000Z' };

let platform: FakePlatform;
let folder: Awaited<ReturnType<typeof aFolder>>;
beforeEach(async () => {
  [platform, folder] = [await FakePlatform.open(), await aFolder({ 'there.html': 'of yesterday' })];
});
afterEach(async () => {
  await platform.close();
  await folder.remove();
});

const evaluates = (result: object): void => {
  platform
    .on(EVALUATE, () => ({ status: 202, json: { scope: 'team:red', evaluationRun: RUN, status: '/swap', result: '/swap/evaluation' } }))
    .on('GET /v1/scopes/team:red/swap', () => ({ json: { scope: 'team:red', state: 'ready', generations: [], evaluationRun: RUN } }))
    .on('GET /v1/scopes/team:red/swap/evaluation', () => ({ json: result }));
};
const compare = (...args: string[]) => run(['eval', 'compare', ...args, '--url', platform.url], { cwd: folder.path });

describe('palimpsest eval compare --live', () => {
  it.each([
    ['not-worse', 0, 'failures="0" errors="0" skipped="0"', '/>'],
    ['worse', 1, 'failures="1" errors="0" skipped="0"', '>\n      <failure message="a loss beyond 0.02 is ruled out" type="worse"/>'],
    ['undecided', 3, 'failures="0" errors="0" skipped="1"', '>\n      <skipped message="a loss beyond 0.02 is ruled out"/>'],
  ])('shows the verdict of the gate and writes both reports: %s is %d', async (verdict, code, counts, outcome) => {
    evaluates(evaluation(verdict));
    const ran = await compare('--live', 'team:red', '--seed', '7', '--html', 'report.html', '--junit', 'junit.xml');
    expect(ran).toMatchObject({ code, err: 'report written to report.html\nreport written to junit.xml\n' });
    expect(ran.out).toContain(`team:red: g2 compared with g1: ${verdict}\n  a loss beyond 0.02 is ruled out\n`);
    expect(platform.requestsTo(EVALUATE).map(({ json }) => json)).toEqual([{ seed: 7 }]);
    expect(await readFile(join(folder.path, 'report.html'), 'utf8')).toContain('<h1>team:red: g2 compared with g1</h1>');
    const junit = await readFile(join(folder.path, 'junit.xml'), 'utf8');
    expect(junit).toContain(`<testsuites name="palimpsest evaluation of a generation" tests="1" ${counts}>`);
    expect(junit).toContain(`    <testcase classname="team:red" name="g2 is not worse than g1" time="0"${outcome}`);
    expect(junit).toContain(
      `<property name="nDCG@10 (self)" value="0.9000 → 0.9100, +0.0100 (95 % interval -0.0050 to +0.0200) over 400 queries: ${verdict}"/>`,
    );
  });

  it('prints the JSON of `swap evaluate`, and leaves the seed to the server', async () => {
    evaluates(evaluation('not-worse'));
    const { out } = await compare('--live', 'team:red', '--json');
    expect(JSON.parse(out)).toEqual(evaluation('not-worse'));
    expect(platform.requestsTo(EVALUATE)[0]?.json).toEqual({});
  });

  it.each([
    [['a.trec'], 'expected --live without runs'],
    [['--qrels', 'some.qrels'], 'expected --live without runs, --qrels'],
    [['--measure', 'AP'], 'expected --live without runs'],
    [['--margin', '0.1'], 'expected --live without runs'],
    [['--html', 'there.html'], 'there.html exists; name another file'],
  ])('starts nothing with %j', async (args, message) => {
    evaluates(evaluation('not-worse'));
    expect(await compare(...args, '--live', 'team:red')).toMatchObject({ code: 2, err: expect.stringContaining(message) });
    expect(platform.requests).toEqual([]);
  });

  it('is needed if no runs or judgements are named', async () => {
    expect((await compare('--qrels', 'some.qrels')).err).toContain('expected two runs or more, or --live <scope>');
    expect((await compare('a.trec', '--qrels', 'some.qrels')).err).toContain('expected two runs or more');
    expect(await compare('a.trec', 'b.trec')).toMatchObject({ code: 2, err: expect.stringContaining('expected --qrels <file>') });
  });
});

describe('palimpsest swap evaluate --junit', () => {
  it('writes the same report of the latest evaluation', async () => {
    evaluates(evaluation('worse'));
    const args = ['swap', 'evaluate', 'team:red', '--latest', '--junit', 'latest.xml', '--url', platform.url];
    expect(await run(args, { cwd: folder.path })).toMatchObject({ code: 1, err: 'report written to latest.xml\n' });
    expect(await readFile(join(folder.path, 'latest.xml'), 'utf8')).toContain('name="g2 is not worse than g1"');
    expect(await run([...args, '--no-wait'], { cwd: folder.path })).toMatchObject({ code: 2 });
  });
});
