import { FakePlatform } from '../../test/fake-platform.ts';
import { run } from '../../test/run.ts';

let platform: FakePlatform;
beforeEach(async () => {
  platform = await FakePlatform.open();
});
afterEach(() => platform.close());
const palimpsest = (...args: string[]) => run(['strategy', ...args, '--url', platform.url]);

const HYBRID = { strategy: 'DenseSparseHybrid' };
const RERANK = { strategy: 'DenseSparseRerank', reranker: { version: 'endpoint:bge', weight: 0.5, candidates: 30 } };
const evaluation = (verdict: string) => ({
  ...RERANK,
  ...{ against: HYBRID, verdict, reasons: ['a loss beyond 0.02 is ruled out'], margin: 0.02, seed: 7, from: '8', upTo: '9', unsettled: 2 },
  golden: { used: 80, synthetic: 0, unusable: 0 },
  measure: {
    ...{ source: 'golden', measure: 'nDCG@10', queries: 80, before: 0.6, after: 0.65, difference: 0.05, interval: [0.01, 0.09], p: 0.01 },
    ...{ smallestDetectableEffect: 0.03, verdict: 'not-worse', better: 20, worse: 3 },
  },
  reranked: { blended: 78, abstained: 1, skipped: 1 },
  latency: { before: { p50: 12, p95: 30 }, after: { p50: 140, p95: 310 } },
});
const shown = (over: object = {}) => ({ knowledgeBase: 'handbook', default: HYBRID, used: HYBRID, position: '9', ...over });

describe('palimpsest strategy', () => {
  it('shows what searches use, and why it is not what was set', async () => {
    const detail = 'DenseSparseHybrid was used instead: evaluate it first';
    platform.on('GET /v1/strategies/handbook', () => ({ json: shown({ default: RERANK, detail }) }));
    const { code, out } = await palimpsest('show', 'handbook');
    expect([code, out]).toEqual([0, `handbook: DenseSparseHybrid\n  ${detail}\n`]);
  });

  it.each([
    ['not-worse', 0],
    ['worse', 1],
    ['undecided', 3],
  ])('evaluates, and exits by the verdict: %s is %d', async (verdict, code) => {
    platform.on('POST /v1/strategies/handbook/evaluate', () => ({ json: shown({ evaluation: evaluation(verdict) }) }));
    const ran = await palimpsest('evaluate', 'handbook', 'DenseSparseRerank', '--seed', '7', '--queries', '80', '--synthetic');
    expect(ran.code).toBe(code);
    expect(ran.out).toContain(
      `DenseSparseRerank with endpoint:bge (weight 0.5, best 30 results) compared with DenseSparseHybrid: ${verdict}\n  a loss beyond 0.02 is ruled out\n`,
    );
    expect(ran.out).toMatch(/80 +nDCG@10 +0.6000 +0.6500 +\+0.0500 +\+0.0100 to \+0.0900 +20 +3/);
    expect(ran.out).toContain(
      'latency   p50 12 → 140 ms, p95 30 → 310 ms\nreranker  blended 78, abstained 1, skipped 1\nleft out  2 queries',
    );
    expect(platform.requestsTo('POST /v1/strategies/handbook/evaluate')[0]?.json).toEqual({
      ...{ strategy: 'DenseSparseRerank', seed: 7, queries: 80, synthetic: true },
    });
  });

  it('sets a strategy, forced only with a reason', async () => {
    platform.on('PUT /v1/strategies/handbook', () => ({ json: shown({ default: RERANK, used: RERANK }) }));
    const { code, out } = await palimpsest('set', 'handbook', 'DenseSparseRerank');
    expect([code, out]).toEqual([0, 'searches of handbook use DenseSparseRerank with endpoint:bge (weight 0.5, best 30 results)\n']);
    await palimpsest('set', 'handbook', 'DenseSparseRerank', '--force', '--reason', 'a pilot');
    expect(platform.requestsTo('PUT /v1/strategies/handbook').map(({ json }) => json)).toEqual([
      { strategy: 'DenseSparseRerank' },
      { strategy: 'DenseSparseRerank', force: true, reason: 'a pilot' },
    ]);
    for (const alone of [['--force'], ['--reason', 'a pilot']])
      expect((await palimpsest('set', 'handbook', 'DenseSparseRerank', ...alone)).code).toBe(2);
    expect((await palimpsest('set', 'handbook', 'Anything')).code).toBe(2);
  });
});
