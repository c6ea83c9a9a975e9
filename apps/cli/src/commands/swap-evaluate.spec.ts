import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { evaluation } from '../../test/an-evaluation.ts';
import { FakePlatform } from '../../test/fake-platform.ts';
import { aFolder, run } from '../../test/run.ts';
import { Interrupted } from '../failure.ts';

let platform: FakePlatform;
beforeEach(async () => {
  platform = await FakePlatform.open();
});
afterEach(() => platform.close());
const palimpsest = (...args: string[]) => run([...args, '--url', platform.url]);

const RUN = { run: 'r1', state: 'evaluating', by: 'person', startedAt: '2026-11-22T07:59:00.000Z' };
const EVALUATE = 'POST /v1/scopes/team:red/swap/evaluation';
const SWAP = { scope: 'team:red', state: 'ready', generations: [] };
const started = () => ({
  status: 202,
  json: { scope: 'team:red', evaluationRun: RUN, status: '/v1/scopes/team:red/swap', result: '/v1/scopes/team:red/swap/evaluation' },
});
/** An evaluation that is complete when the command looks the first time, or after these states. */
const evaluates = (result: object, ...states: readonly object[]): void => {
  const views = [...states];
  platform
    .on(EVALUATE, started)
    .on('GET /v1/scopes/team:red/swap', () => ({
      json: { ...SWAP, ...(views.shift() ?? { evaluationRun: { ...RUN, state: 'complete' } }) },
    }))
    .on('GET /v1/scopes/team:red/swap/evaluation', () => ({ json: result }));
};

describe('palimpsest swap evaluate', () => {
  it.each([
    ['not-worse', 0],
    ['worse', 1],
    ['undecided', 3],
  ])('exits by the verdict: %s is %d', async (verdict, code) => {
    evaluates(evaluation(verdict));
    const ran = await palimpsest('swap', 'evaluate', 'team:red', '--seed', '7', '--queries', '400', '--synthetic');
    expect(ran.code).toBe(code);
    expect(ran.out).toContain(`team:red: g2 compared with g1: ${verdict}\n  a loss beyond 0.02 is ruled out\n`);
    expect(ran.out).toMatch(/400 self +nDCG@10 +0.9000 +0.9100 +\+0.0100 +-0.0050 to \+0.0200/);
    expect(ran.out).toContain('spot check  200 chunks embedded again, 0 with another vector');
    expect(platform.requestsTo(EVALUATE)[0]?.json).toEqual({ seed: 7, queries: 400, synthetic: true });
  });

  it('shows what past queries find, if the tenant lets the platform record them', async () => {
    const figures =
      '212 queries of callers, 3 records left out; overlap@10 0.640, RBO 0.610; best score 0.580 → 0.470; without results 4 → 9';
    evaluates(evaluation('worse'));
    expect((await palimpsest('swap', 'evaluate', 'team:red')).out).toContain(`past        ${figures}\n`);
    const { past: _, ...without } = evaluation('worse');
    evaluates(without);
    expect((await palimpsest('swap', 'evaluate', 'team:red')).out).not.toContain('past');
    const none = { used: 0, leftOut: 1, withoutResults: { before: 0, after: 0 } };
    evaluates({ ...without, past: none });
    expect((await palimpsest('swap', 'evaluate', 'team:red')).out).toContain('past        0 queries of callers, 1 record left out\n');
  });

  it('asks the past queries of a window, and says so', async () => {
    const window = { after: '4711', before: '2026-11-24T12:00:00Z' };
    evaluates({ ...evaluation('not-worse'), past: { window, used: 0, leftOut: 1, withoutResults: { before: 0, after: 0 } } });
    const { out } = await palimpsest('swap', 'evaluate', 'team:red', '--past-after', window.after, '--past-before', window.before);
    expect(out).toContain('1 record left out, after 4711, before 2026-11-24T12:00:00Z\n');
    expect(platform.requestsTo(EVALUATE)[0]?.json).toEqual({ pastQueries: window });
    platform.on('POST /v1/scopes/team:red/swap', () => ({ status: 202, json: { ...SWAP, position: '9' } }));
    await palimpsest('swap', 'start', 'team:red', '--gate', '--past-after', window.after);
    expect(platform.requestsTo('POST /v1/scopes/team:red/swap')[0]?.json).toEqual({ cutover: 'gate', pastQueries: { after: '4711' } });
  });

  it('shows the score floors of the new model, and which rest on few results', async () => {
    evaluates(evaluation('not-worse'));
    const { out } = await palimpsest('swap', 'evaluate', 'team:red');
    expect(out).toContain('\nscore floors: the minScore that keeps the same share of results, by 212 queries of people\n');
    expect(out).toMatch(
      /old model +new model +results kept\n0\.35 +0\.271 +81\.3 %\n0\.60 +0\.483 +1\.1 %, rough\nRough: .+ fewer than 50 results/,
    );
    const { scoreFloors: _, ...without } = evaluation('not-worse');
    evaluates(without);
    expect((await palimpsest('swap', 'evaluate', 'team:red')).out).not.toContain('score floors');
  });

  it('follows the evaluation by the status of the swap, also past an answer of another replica', async () => {
    const at = (done: number) => ({ evaluationRun: { ...RUN, queries: { done, total: 40 } } });
    evaluates(evaluation('worse'), { evaluationRun: RUN }, at(10), {}, at(40));
    const { code, err } = await palimpsest('swap', 'evaluate', 'team:red');
    expect(code).toBe(1);
    expect(err).toBe('queries 10 of 40\nqueries 40 of 40\n');
    expect(platform.requestsTo(EVALUATE)).toHaveLength(1);
  });

  it('only starts it with --no-wait, and the status of the swap shows how it goes', async () => {
    evaluates(evaluation('worse'));
    expect(await palimpsest('swap', 'evaluate', 'team:red', '--no-wait')).toMatchObject({
      code: 0,
      out: 'evaluating  checking the vectors, since 2026-11-22T07:59:00.000Z\n',
    });
    expect(platform.requestsTo('GET /v1/scopes/team:red/swap')).toEqual([]);
    const status = async (evaluationRun: object): Promise<string> => {
      platform.on('GET /v1/scopes/team:red/swap', () => ({ json: { ...SWAP, evaluationRun } }));
      return (await palimpsest('swap', 'status', 'team:red')).out;
    };
    expect(await status({ ...RUN, queries: { done: 120, total: 400 } })).toContain(
      'evaluating  120 of 400 queries, since 2026-11-22T07:59:00.000Z\n',
    );
    const failed = { ...RUN, state: 'failed', endedAt: '2026-11-22T08:01:00.000Z', reason: 'no answer' };
    expect(await status(failed)).toContain('evaluation  failed at 2026-11-22T08:01:00.000Z: no answer\n');
    expect(await status({ ...RUN, state: 'complete' })).not.toMatch(/evaluat/);
    expect(await palimpsest('swap', 'evaluate', 'team:red', '--no-wait', '--latest')).toMatchObject({ code: 2 });
  });

  it('says why there is no result', async () => {
    evaluates(evaluation('worse'), { evaluationRun: { ...RUN, state: 'failed', reason: 'the endpoint is away' } });
    expect(await palimpsest('swap', 'evaluate', 'team:red')).toMatchObject({
      code: 2,
      err: expect.stringContaining('the evaluation failed: the endpoint is away'),
    });
    // The process was started again: it knows no evaluation, and the latest result is an earlier one.
    const earlier = { evaluation: { ...evaluation('worse'), evaluatedAt: '2026-11-21T00:00:00.000Z' } };
    evaluates(evaluation('worse'), ...Array.from({ length: 20 }, () => earlier));
    expect(await palimpsest('swap', 'evaluate', 'team:red')).toMatchObject({
      code: 2,
      err: expect.stringContaining('the process that ran it ended, or is another replica'),
    });
    // The process that ran it ended, but not before the result was recorded.
    evaluates(evaluation('not-worse'), {}, { evaluation: { ...evaluation('not-worse') } });
    expect((await palimpsest('swap', 'evaluate', 'team:red')).code).toBe(0);
  });

  it('says that the evaluation continues if the command is interrupted', async () => {
    const abort = new AbortController();
    evaluates(evaluation('worse'));
    platform.on('GET /v1/scopes/team:red/swap', () => {
      abort.abort(new Interrupted());
      return { json: { ...SWAP, evaluationRun: RUN } };
    });
    const { code, err } = await run(['swap', 'evaluate', 'team:red', '--url', platform.url], { signal: abort.signal });
    expect(code).toBe(130);
    expect(err).toContain('the evaluation continues: see `palimpsest swap status team:red`');
  });

  it('exits with 2 if it could not evaluate', async () => {
    const detail = 'scope "team:red" has no second generation to evaluate: start a swap first';
    platform.on(EVALUATE, () => ({
      status: 409,
      headers: { 'content-type': 'application/problem+json' },
      json: { type: 'about:blank', title: 'Conflict', status: 409, code: 'Conflict', detail, retryable: false },
    }));
    expect(await palimpsest('swap', 'evaluate', 'team:red')).toMatchObject({ code: 2, err: expect.stringContaining(detail) });
  });

  it('shows the latest evaluation, and writes one HTML file without anything to load', async () => {
    platform.on('GET /v1/scopes/team:red/swap/evaluation', () => ({ json: evaluation('undecided') }));
    const folder = await aFolder({});
    try {
      const options = ['--latest', '--json', '--report', 'report.html', '--url', platform.url];
      const { code, out } = await run(['swap', 'evaluate', 'team:red', ...options], { cwd: folder.path });
      expect([code, JSON.parse(out)]).toEqual([3, evaluation('undecided')]);
      const report = await readFile(join(folder.path, 'report.html'), 'utf8');
      expect(report).toContain('<h1>team:red: g2 compared with g1</h1><p class="verdict undecided">undecided</p>');
      expect(report).toContain('&lt;script&gt;alert(1)&lt;/script&gt; what is lost');
      expect(report).toContain('<li>&lt;b&gt;one&lt;/b&gt;.md</li>');
      expect(report).toContain('<td>-0.0050 to +0.0200</td>');
      expect(report).toContain('<td>past queries</td><td>212 queries of callers, 3 records left out; overlap@10 0.640');
      expect(report).toContain('by 212 queries of people.');
      expect(report).toContain('<tr><td>0.35</td><td>0.271</td><td>81.3 %</td><td></td></tr>');
      expect(report).toContain('<tr><td>0.60</td><td>0.483</td><td>1.1 %</td><td>rough</td></tr>');
      expect(report).toContain('fewer than 50 results');
      expect(report).not.toMatch(/<script|https?:|src=/);
      const again = await run(['swap', 'evaluate', 'team:red', ...options], { cwd: folder.path });
      expect([again.code, again.err]).toEqual([2, expect.stringContaining('report.html exists; name another file')]);
    } finally {
      await folder.remove();
    }
  });
});

describe('palimpsest swap cutover', () => {
  it('forces only with a reason', async () => {
    platform.on('POST /v1/scopes/team:red/swap/cutover', () => ({
      json: { scope: 'team:red', state: 'idle', generations: [], position: '5' },
    }));
    expect(await palimpsest('swap', 'cutover', 'team:red', '--force')).toMatchObject({ code: 2 });
    expect(await palimpsest('swap', 'cutover', 'team:red', '--force', '--reason', 'it is time')).toMatchObject({ code: 0 });
    expect(platform.requestsTo('POST /v1/scopes/team:red/swap/cutover').map(({ json }) => json)).toEqual([
      { force: true, reason: 'it is time' },
    ]);
  });
});

describe('palimpsest swap start', () => {
  it('sets a gate, and shows its verdict', async () => {
    const verdict = { generation: 'g2', against: 'g1', verdict: 'worse', reasons: ['3 chunks have no vector'], evaluatedAt: 'now' };
    platform.on('POST /v1/scopes/team:red/swap', () => ({
      status: 202,
      json: { scope: 'team:red', state: 'ready', generations: [], evaluation: verdict, position: '5' },
    }));
    const { out } = await palimpsest('swap', 'start', 'team:red', '--gate');
    expect(out).toContain('evaluation  g2 against g1: worse\n            3 chunks have no vector\n');
    expect(platform.requestsTo('POST /v1/scopes/team:red/swap')[0]?.json).toEqual({ cutover: 'gate' });
    expect(await palimpsest('swap', 'start', 'team:red', '--gate', '--manual')).toMatchObject({
      code: 2,
      err: expect.stringContaining('expected only one of --manual and --gate'),
    });
    await palimpsest('swap', 'start', 'team:red', '--companion');
    expect(platform.requestsTo('POST /v1/scopes/team:red/swap')[1]?.json).toEqual({ cutover: 'companion' });
  });
});
