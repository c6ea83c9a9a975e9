import { FakePlatform } from '../../test/fake-platform.ts';
import { run } from '../../test/run.ts';

let platform: FakePlatform;
beforeEach(async () => {
  platform = await FakePlatform.open();
});
afterEach(() => platform.close());
const palimpsest = (...args: string[]) => run([...args, '--url', platform.url]);

const plan = {
  ...{ scope: 'team:red', plan: 'p2', embeddingVersion: 'onnx:large/1024', cutover: 'gate', documents: 12, chunks: 300, seed: 7 },
  tokens: { texts: 60_000, embedded: 50_000, method: 'sampled', tokenizer: 'wordpiece', read: 200, error: 0.0212 },
  reusable: { chunks: 50, exact: false },
  ...{ pricePerMillionTokens: 0.1, cost: 0.005, upTo: '90', position: '91', plannedAt: '2026-11-22T08:00:00.000Z' },
  time: { seconds: 130.2, sampledChunks: 64, sampleSeconds: 2.5, refused: 1, limitedBy: 'tokensPerMinute' },
  bytes: { vectors: 1_228_800, memory: 1_700_000, disk: 1_250_000 },
  knowledgeBases: [{ knowledgeBase: 'handbook', documents: 12, chunks: 300, tokens: 60_000 }],
  plannedBy: { actor: 'key-1', user: 'ann' },
};
const total = { scopes: 1, documents: 12, chunks: 300, tokens: 50_000, reusable: 50, cost: 0.005, bytes: { vectors: 1_228_800 } };

describe('palimpsest swap plan', () => {
  it('shows how many documents it has chunked again', async () => {
    const show = async (rechunked: unknown) => {
      platform.on('POST /v1/scopes/team:red/swap/plan', () => ({ json: { ...plan, rechunked } }));
      return (await palimpsest('swap', 'plan', '--scope', 'team:red')).out;
    };
    expect(await show({ read: 12, kept: 0, exact: true })).toContain('chunked     all 12 documents were chunked again to count this\n');
    expect(await show({ read: 100, kept: 2, exact: false, error: 0.0341 })).toContain(
      'chunked     100 documents were chunked again to estimate this: chunks ±3.4 %; 2 of them would keep their chunks\n',
    );
  });

  it('shows what a swap would take, and how it is known', async () => {
    platform.on('POST /v1/scopes/team:red/swap/plan', () => ({ json: plan }));
    const { code, out } = await palimpsest('swap', 'plan', '--model', 'onnx:large/1024', '--scope', 'team:red', '--gate', '--seed', '7');
    expect(code).toBe(0);
    expect(platform.requestsTo('POST /v1/scopes/team:red/swap/plan')[0]?.json).toEqual({
      ...{ embeddingVersion: 'onnx:large/1024', cutover: 'gate', seed: 7 },
    });
    expect(out).toContain('plan        p2 of team:red, to onnx:large/1024\n');
    expect(out).toContain('contents    12 documents, 300 chunks, 60000 tokens (wordpiece, 200 chunks counted, ±2.1 %)\n');
    expect(out).toContain('to embed    50000 tokens; about 50 chunks have a vector of this model already\n');
    expect(out).toContain('cost        $0.0050\n');
    expect(out).toContain('time        about 3 minutes (64 chunks took 2.50 s; the model rejects 1 more, limited by tokensPerMinute)\n');
    expect(out).toContain('space       1.70 MB of memory, 1.25 MB of disk, until the old generation is retired\n');
    expect(out).toContain('handbook: 12 documents, 300 chunks, 60000 tokens');
  });

  it('shows the latest plan, with its approval and the generation that it started', async () => {
    const used = { ...plan, approved: { at: '2026-11-22T09:00:00.000Z', by: { actor: 'key-2' } }, started: 'g2' };
    platform.on('GET /v1/scopes/team:red/swap/plan', () => ({ json: used }));
    const { out } = await palimpsest('swap', 'plan', '--scope', 'team:red', '--latest');
    expect(out).toContain('approved    2026-11-22T09:00:00.000Z by key-2\nstarted     generation g2\n');
  });

  it('plans all scopes, and lists those without a plan', async () => {
    const left = [{ scope: 'deployment', reason: 'has the model already' }];
    platform.on('POST /v1/swaps/plan', () => ({ json: { plans: [plan], left, total } }));
    const { out } = await palimpsest('swap', 'plan', '--sample', '0');
    expect(out).toMatch(/team:red +p2 +12 +300 +50000 +50 +\$0.0050 +3 minutes/);
    expect(out).toContain('total       1 scopes, 300 chunks, 50000 tokens to embed, $0.0050\n');
    expect(out).toContain('no plan     deployment: has the model already\n');
    expect(platform.requestsTo('POST /v1/swaps/plan')[0]?.json).toEqual({ sample: 0 });
  });

  it('estimates all tenants for an operator', async () => {
    const { cost: _, ...unpriced } = total;
    const tenants = [{ tenant: 'acme', ...unpriced }];
    platform.on('POST /v1/swaps/plan/tenants', () => ({ json: { embeddingVersion: 'onnx:large/1024', tenants, total: unpriced } }));
    const { out } = await palimpsest('swap', 'plan', '--all-tenants');
    expect(out).toMatch(/acme +1 +12 +300 +50000 +50/);
    expect(out).toContain('the model has no price');
  });

  it.each([
    [['plan', '--manual', '--gate']],
    [['plan', '--companion', '--gate']],
    [['plan', '--all-tenants', '--companion']],
    [['start', 'deployment', '--companion', '--manual']],
    [['plan', '--latest']],
    [['plan', '--all-tenants', '--scope', 'deployment']],
    [['approve', 'deployment']],
    [['start', 'deployment', '--plan', 'p1', '--gate']],
  ])('refuses options that contradict each other: %j', async (args) => {
    expect((await palimpsest('swap', ...args)).code).toBe(2);
    expect(platform.requests).toEqual([]);
  });

  it('approves a plan, and starts exactly one', async () => {
    platform.on('POST /v1/scopes/team:red/swap/plan/approve', () => ({ json: plan }));
    platform.on('POST /v1/scopes/team:red/swap', () => ({ json: { scope: 'team:red', state: 'idle', generations: [], position: '1' } }));
    expect((await palimpsest('swap', 'approve', 'team:red', '--plan', 'p2')).code).toBe(0);
    expect((await palimpsest('swap', 'start', 'team:red', '--plan', 'p2')).code).toBe(0);
    expect(platform.requests.map(({ json }) => json)).toEqual([{ plan: 'p2' }, { plan: 'p2' }]);
  });
});
