import { FakePlatform } from '../../test/fake-platform.ts';
import { run } from '../../test/run.ts';

let platform: FakePlatform;
beforeEach(async () => {
  platform = await FakePlatform.open();
});
afterEach(() => platform.close());
const palimpsest = (...args: string[]) => run([...args, '--url', platform.url]);

const ROUTE = '/v1/scopes/team:red/swap/canary';
const canary = {
  ...{ generation: 'g2', against: 'g1', share: 5, startedAt: '2026-11-22T08:00:00.000Z' },
  thresholds: { emptyShare: 0.05, slowdown: 1.5, scoreDrop: 0.5, agreementDrop: 0.5 },
};
const comparison = {
  canary: { queries: 50, empty: 20, latencyP50: 9.5, latencyP95: 20, agreement: 0.4 },
  active: { queries: 900, empty: 9, latencyP50: 9, latencyP95: 18, score: 3.1, agreement: 0.5 },
  findings: [{ measure: 'empty', canary: 0.4, active: 0.01, p: 0.000002, level: 0.002 }],
  upTo: '700',
};
const ended = { reason: 'regression', evidence: comparison, endedAt: '2026-11-22T08:10:00.000Z' };
const swap = (more: object = {}) => ({
  ...{ scope: 'team:red', state: 'ready', generations: [{ generation: 'g2', embeddingVersion: 'a/1', status: 'ready' }] },
  ...{ canary: { ...canary, ...more }, position: '12' },
});

describe('palimpsest swap canary', () => {
  it('starts a canary with its thresholds', async () => {
    platform.on(`POST ${ROUTE}`, () => ({ json: swap() }));
    const ran = await palimpsest('swap', 'canary', 'team:red', '--share', '5', '--slowdown', '2', '--empty-share', '0.1');
    expect(ran.out).toContain('canary      g2 serves 5 % of the callers, g1 the others');
    expect(platform.requestsTo(`POST ${ROUTE}`)[0]?.json).toEqual({ share: 5, thresholds: { slowdown: 2, emptyShare: 0.1 } });
  });

  it('forces one only with a reason', async () => {
    platform.on(`POST ${ROUTE}`, () => ({ json: swap() }));
    expect(await palimpsest('swap', 'canary', 'team:red', '--share', '5', '--force')).toMatchObject({ code: 2 });
    await palimpsest('swap', 'canary', 'team:red', '--share', '0.5', '--force', '--reason', 'old judgements');
    expect(platform.requestsTo(`POST ${ROUTE}`)[0]?.json).toEqual({ share: 0.5, force: true, reason: 'old judgements' });
  });

  it('stops it, and says why it ended', async () => {
    platform.on(`DELETE ${ROUTE}`, () => ({ json: swap({ ended }) }));
    const ran = await palimpsest('swap', 'canary', 'team:red', '--stop');
    expect(ran.out).toContain('canary      g2 served 5 % of the callers and ended: regression\n');
    expect(ran.out).toContain('            share of empty answers: 0.400 instead of 0.010 (p 2.0e-6)\n');
  });

  it('shows both sides without options', async () => {
    platform.on(`GET ${ROUTE}`, () => ({ json: { scope: 'team:red', ...canary, comparison } }));
    const ran = await palimpsest('swap', 'canary', 'team:red');
    expect(ran.out).toMatch(/g1 active +900 +1.0 % +9.0 +18.0 +3.10 +0.50/);
    expect(ran.out).toMatch(/g2 canary +50 +40.0 % +9.5 +20.0 +0.40/);
  });

  it.each([
    ['--share 101', /from 0 to 100/],
    ['--share 5 --stop', /--share or --stop, got both/],
    ['--slowdown 2', /expected --share/],
  ])('refuses %s', async (options, reason) => {
    expect(await palimpsest('swap', 'canary', 'team:red', ...options.split(' '))).toMatchObject({
      code: 2,
      err: expect.stringMatching(reason),
    });
  });
});
