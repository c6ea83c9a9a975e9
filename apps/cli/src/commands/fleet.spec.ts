import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakePlatform } from '../../test/fake-platform.ts';
import { run } from '../../test/run.ts';

let platform: FakePlatform;
beforeEach(async () => {
  platform = await FakePlatform.open();
});
afterEach(() => platform.close());
const palimpsest = (...args: string[]) => run([...args, '--url', platform.url]);

const ID = '4f1c09ab77de';
const fleet = (over: Readonly<Record<string, unknown>> = {}) => ({
  ...{ id: ID, embeddingVersion: 'fake:large/16', state: 'running', wave: 2, unfinished: 3, scopesAtOnce: 4, seed: 7, startedAt: '' },
  rule: { worsePercent: 10, faults: 0, undecided: 'wait', advance: 'manual' },
  waves: [
    { name: 'canary', state: 'complete', scopes: 2, tenants: 2, counts: { moved: 2 }, completedAt: '' },
    { name: 'all', state: 'running', scopes: 4, tenants: 3, counts: { moved: 1, building: 3 } },
  ],
  needsAttention: { total: 0, scopes: [] },
  ...over,
});

describe('palimpsest fleet', () => {
  it('starts a fleet with its waves and its rule', async () => {
    platform.on('POST /v1/fleets', () => ({ status: 202, json: { ...fleet(), position: '9' } }));
    const options = ['--model', 'fake:large/16', '--all-tenants', '--canary', 'team:red', '--canary', 'acme/deployment'];
    const rule = [
      '--waves',
      '1,10,100',
      '--worse',
      '2.5',
      '--faults',
      '1',
      '--undecided',
      'cut-over',
      '--automatic',
      '--at-once',
      '8',
      '--seed',
      '7',
    ];
    const { code, out } = await palimpsest('fleet', 'start', ...options, ...rule);
    expect(code).toBe(0);
    expect(platform.requestsTo('POST /v1/fleets')[0]?.json).toEqual({
      ...{ embeddingVersion: 'fake:large/16', allTenants: true, percents: [1, 10, 100], worsePercent: 2.5, faults: 1 },
      ...{ undecided: 'cut-over', advance: 'automatic', scopesAtOnce: 8, seed: 7 },
      canary: [{ scope: 'team:red' }, { tenant: 'acme', scope: 'deployment' }],
    });
    expect(out).toContain(`fleet      ${ID} running, 3 scopes to do\nscopes of  all tenants\n`);
    expect(out).toContain('wave 1     canary: complete, 2 scopes, 2 moved\nwave 2     all: running, 4 scopes, 1 moved, 3 building\n');
  });

  const sums = { scopes: 2, documents: 4, chunks: 40, tokens: 900, reusable: 3, cost: 0.0018, bytes: { vectors: 4_096 } };
  const planned = (over: Readonly<Record<string, unknown>> = {}) => ({
    ...{ id: ID, embeddingVersion: 'fake:large/16', waves: ['1 %', 'all'], scopesAtOnce: 4, seed: 7, left: 1, upTo: '9', plannedAt: '' },
    rule: { worsePercent: 5, faults: 0, undecided: 'wait', advance: 'manual' },
    ...{ total: sums, tenants: [{ tenant: 'acme', ...sums }], plannedBy: { actor: 'key-1' } },
    ...over,
  });

  it('plans a fleet with the options of a start, shows it by tenant, and approves it', async () => {
    platform.on('POST /v1/fleets/plan', () => ({ json: { ...planned(), position: '9' } }));
    const { code, out } = await palimpsest(
      'fleet',
      'plan',
      '--all-tenants',
      '--model',
      'fake:large/16',
      '--waves',
      '1,100',
      '--worse',
      '5',
      '--sample',
      '8',
    );
    expect(code).toBe(0);
    expect(platform.requestsTo('POST /v1/fleets/plan')[0]?.json).toEqual({
      ...{ allTenants: true, embeddingVersion: 'fake:large/16', percents: [1, 100], worsePercent: 5, sample: 8 },
    });
    expect(out).toContain(
      `plan        ${ID} for all tenants, to fake:large/16\nwaves       1 %, all; stops at more than 5 % worse or 0 faults\n`,
    );
    expect(out).toMatch(/acme +2 +4 +40 +900 +3 +\$0\.0018/);
    expect(out).toContain('total       2 scopes, 40 chunks, 900 tokens to embed, $0.0018\n');
    expect(out).toContain(
      'not moved   1 of the scopes: they have the model, or a swap of their own\napproved    no: `fleet approve`, by another person\n',
    );
    const approved = { approved: { at: '2026-11-27', by: { actor: 'key-2', user: 'bob' } } };
    platform.on(`POST /v1/fleets/${ID}/plan/approve`, () => ({ json: { ...planned(approved), position: '9' } }));
    expect((await palimpsest('fleet', 'approve', ID)).out).toContain('approved    2026-11-27 by bob\n');
    platform.on(`GET /v1/fleets/${ID}/plan`, () => ({ json: planned({ tenant: 'acme', startedAt: '2026-11-28' }) }));
    const again = await palimpsest('fleet', 'plan', '--id', ID);
    expect(again.out).toContain(`plan        ${ID} for acme`);
    expect(again.out).toContain('started     2026-11-28\n');
  });

  it('starts and plans a fleet to another chunking', async () => {
    platform.on('POST /v1/fleets', () => ({
      status: 202,
      json: { ...fleet({ chunking: { tokens: { maxTokens: 200 } } }), position: '9' },
    }));
    platform.on('POST /v1/fleets/plan', () => ({ json: { ...planned({ chunking: 'knowledge-base' }), position: '9' } }));
    const folder = await mkdtemp(join(tmpdir(), 'fleet-'));
    await writeFile(join(folder, 'chunking.json'), '{ "tokens": { "maxTokens": 200 } }');
    const { out } = await palimpsest('fleet', 'start', '--chunking', join(folder, 'chunking.json'));
    expect(platform.requestsTo('POST /v1/fleets')[0]?.json).toEqual({ chunking: { tokens: { maxTokens: 200 } } });
    expect(out).toContain('model      fake:large/16, chunking tokens.maxTokens=200\n');
    expect((await palimpsest('fleet', 'plan', '--chunking', 'knowledge-base')).out).toContain(', chunking of each knowledge base\n');
    expect(platform.requestsTo('POST /v1/fleets/plan')[0]?.json).toEqual({ chunking: 'knowledge-base' });
    await rm(folder, { recursive: true });
  });

  it('starts a plan', async () => {
    platform.on('POST /v1/fleets', () => ({ status: 202, json: { ...fleet(), position: '9' } }));
    await palimpsest('fleet', 'start', '--plan', ID);
    expect(platform.requestsTo('POST /v1/fleets')[0]?.json).toEqual({ plan: ID });
  });

  it('sends nothing that was not given', async () => {
    platform.on('POST /v1/fleets', () => ({ status: 202, json: { ...fleet({ tenant: 'acme' }), position: '9' } }));
    expect((await palimpsest('fleet', 'start')).out).toContain('scopes of  acme');
    expect(platform.requestsTo('POST /v1/fleets')[0]?.json).toEqual({});
  });

  it.each([
    [['--waves', '1,x'], /from 0 to 100/],
    [['--worse', '101'], /from 0 to 100/],
    [['--undecided', 'perhaps'], /wait, cut-over/],
    [['--at-once', '0'], /from 1 to 100/],
  ])('refuses %j', async (options, message) => {
    expect(await palimpsest('fleet', 'start', ...options)).toMatchObject({ code: 2, err: expect.stringMatching(message) });
  });

  it('watches until the fleet stops, and reports a stop by the rule with the exit code', async () => {
    const stopped = fleet({
      state: 'paused',
      paused: { by: 'rule', reason: 'a loss in 1 of 4 scopes', at: '' },
      needsAttention: {
        total: 3,
        scopes: [
          { tenant: 'acme', scope: 'team:red', wave: 2, state: 'worse', reason: 'nDCG@10 changed by -0.2' },
          { tenant: 'bolt', wave: 2, state: 'held' },
        ],
      },
    });
    const answers = [fleet(), stopped];
    platform.on('GET /v1/fleets', () => ({ json: { fleets: [fleet()] } }));
    platform.on(`GET /v1/fleets/${ID}`, () => ({ json: answers.shift() ?? stopped }));
    const { code, out } = await palimpsest('fleet', 'watch');
    expect(code).toBe(1);
    expect(out).toContain('paused     by its rule: a loss in 1 of 4 scopes\n');
    expect(out).toContain('attention  acme team:red (wave 2): worse: nDCG@10 changed by -0.2\n');
    expect(out).toContain('attention  bolt (a scope that this key may not read) (wave 2): held\nattention  1 more\n');
  });

  it.each(['resume', 'continue', 'cancel', 'rollback', 'retire'])('can %s a fleet', async (action) => {
    platform.on(`POST /v1/fleets/${ID}/${action}`, () => ({ json: { ...fleet(), position: '9' } }));
    expect(await palimpsest('fleet', action, ID)).toMatchObject({ code: 0 });
    expect(await palimpsest('fleet', action)).toMatchObject({ code: 2 });
  });

  it.each([
    [{ scopes: 3, memory: 1_700_000, disk: 640 }, 'freed      1.70 MB of memory, 640 bytes of disk\n'],
    [
      { scopes: 2, memory: 1_700_000, disk: 640 },
      'freed      1.70 MB of memory, 640 bytes of disk in 2 of 3 scopes; not measured in the others\n',
    ],
    [undefined, 'freed      not measured\n'],
  ])('says what a retirement freed: %j', async (freed, line) => {
    const waves = [1, 2].map((retired) => ({ name: 'all', state: 'complete', scopes: retired, tenants: 1, counts: { retired } }));
    const retired = { at: '2026-11-27T08:00:00.000Z', ...(freed ? { freed } : {}) };
    const answers = [fleet({ state: 'complete', waves, retired, unfinished: 1 })];
    const done = fleet({ state: 'complete', waves, retired, unfinished: 0 });
    platform.on(`GET /v1/fleets/${ID}`, () => ({ json: answers.shift() ?? done }));
    const { code, out } = await palimpsest('fleet', 'watch', ID);
    expect(code).toBe(0);
    expect(platform.requestsTo(`GET /v1/fleets/${ID}`)).toHaveLength(2);
    expect(out).toContain(`retired    what moved scopes used before, since 2026-11-27T08:00:00.000Z\n${line}`);
  });

  it('pauses with a reason, and lists fleets', async () => {
    platform.on(`POST /v1/fleets/${ID}/pause`, () => ({ json: { ...fleet({ state: 'paused' }), position: '9' } }));
    await palimpsest('fleet', 'pause', ID, '--reason', 'maintenance');
    expect(platform.requestsTo(`POST /v1/fleets/${ID}/pause`)[0]?.json).toEqual({ reason: 'maintenance' });
    platform.on('GET /v1/fleets', () => ({ json: { fleets: [fleet()] } }));
    expect((await palimpsest('fleet', 'list')).out).toMatch(new RegExp(`${ID} +all tenants +running +2/2 +fake:large/16`));
    platform.on('GET /v1/fleets', () => ({ json: { fleets: [] } }));
    expect(await palimpsest('fleet', 'status')).toMatchObject({ code: 2, err: expect.stringContaining('palimpsest fleet start') });
  });
});
