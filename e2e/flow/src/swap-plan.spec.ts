import { expectProblem } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { recordedEvents } from '@palimpsest/e2e-support/recorded-events';
import { submitText } from '@palimpsest/e2e-support/submit';
import { eventually } from '@palimpsest/test-kit/eventually';

const MODEL = 'openai:stand-in/64';
const DOCUMENTS = 30;
const textOf = (n: number): string => `Entry number ${n} of the log book speaks of the harbour${n} and its ships.`;
const PLAN = '/v1/scopes/deployment/swap/plan';
const WAIT_MS = 240_000;

describe('the plan of a swap', () => {
  let data: string;
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  let bob: string;

  beforeAll(async () => {
    data = await aDataFolder();
    standIn = await EmbeddingStandIn.open();
    const first = await PlatformUnderTest.start(data);
    for (let n = 0; n < DOCUMENTS; n++) await submitText(first.client, { sourceId: `${n}.md`, text: textOf(n) });
    expect((await first.stop()).code).toBe(0);
    platform = await PlatformUnderTest.start(data, { ...standIn.settings(), PALIMPSEST_SWAPS_REQUIRE_PLAN: 'true' });
    ({ key: bob } = await platform.client.operations.createApiKey({ name: 'bob', roles: ['admin'], user: 'bob' }));
  });

  it('is required by the setting, for a swap and for re-embedding', async () => {
    expectProblem(await platform.ask('POST /v1/scopes/deployment/swap', { json: {} }), 409, 'Conflict');
    expectProblem(await platform.ask('POST /v1/scopes/deployment/reembed'), 409, 'Conflict');
    expectProblem(await platform.ask(`GET ${PLAN}`), 404, 'NotFound');
  });

  it('says what the swap would take', async () => {
    const plan = await platform.client.swaps.plan('deployment', { embeddingVersion: MODEL, cutover: 'manual', seed: 7 });
    expect(plan).toMatchObject({
      ...{ plan: 'p1', embeddingVersion: MODEL, documents: DOCUMENTS, chunks: DOCUMENTS, seed: 7 },
      tokens: { method: 'estimated', read: DOCUMENTS },
      reusable: { chunks: 0, exact: true },
      time: { sampledChunks: DOCUMENTS, refused: 0, limitedBy: 'model' },
      bytes: { vectors: DOCUMENTS * 64 * 4 },
      knowledgeBases: [{ documents: DOCUMENTS, chunks: DOCUMENTS, tokens: plan.tokens.texts }],
    });
    expect(plan).not.toHaveProperty('cost');
    expect((await platform.client.swaps.get('deployment')).generations).toHaveLength(1);
    expectProblem(await platform.ask(`POST ${PLAN}`, { json: { embeddingVersion: 'openai:none/8' } }), 400, 'InvalidValue', {
      field: 'embeddingVersion',
    });
  });

  it('is approved by another person, and then starts exactly one swap', async () => {
    const start = () => platform.ask('POST /v1/scopes/deployment/swap', { json: { plan: 'p1' } });
    expectProblem(await start(), 409, 'Conflict');
    const own = await platform.ask(`POST ${PLAN}/approve`, { json: { plan: 'p1' } });
    expectProblem(own, 403, 'Forbidden');
    expect(own.json['detail']).toMatch('another person has to approve it');
    expect(await platform.ask(`POST ${PLAN}/approve`, { key: bob, json: { plan: 'p1' } })).toMatchObject({ status: 200 });
    expect(await start()).toMatchObject({ status: 202 });
    await eventually(
      'the generation is built',
      async () => (await platform.client.swaps.get('deployment')).state === 'ready' || undefined,
      WAIT_MS,
    );
    const [{ swap }, plan] = [await platform.client.swaps.get('deployment'), await platform.client.swaps.latestPlan('deployment')];
    expect(plan).toMatchObject({ started: 'g2', approved: { by: { user: 'bob' } } });
    // The stand-in reports the tokens of each request, which are shared out over its texts.
    expect(Math.abs((swap?.tokens ?? 0) / plan.tokens.embedded - 1)).toBeLessThan(0.15);
  });

  it('finds the vectors of a cancelled swap', async () => {
    await platform.client.swaps.cancel('deployment');
    expectProblem(await platform.ask('POST /v1/scopes/deployment/swap', { json: { plan: 'p1' } }), 409, 'Conflict');
    const plan = await platform.client.swaps.plan('deployment', { embeddingVersion: MODEL, sample: 0 });
    expect(plan).toMatchObject({ plan: 'p2', reusable: { chunks: DOCUMENTS, exact: true }, tokens: { embedded: 0 } });
    expect(plan).not.toHaveProperty('time');
  });

  it('of all scopes and of all tenants shows no tenant the figures of another', async () => {
    const { key: stranger } = await platform.client.operations.createApiKey({ name: 'stranger', roles: ['admin'], tenant: 'other' });
    const theirs = await platform.ask('POST /v1/swaps/plan', { key: stranger, json: { embeddingVersion: MODEL, sample: 0 } });
    expect(theirs).toMatchObject({ status: 200, json: { plans: [], left: [], total: { scopes: 0, chunks: 0 } } });
    expectProblem(await platform.ask(`GET ${PLAN}`, { key: stranger }), 404, 'NotFound');
    expectProblem(await platform.ask('POST /v1/swaps/plan/tenants', { key: stranger }), 403, 'Forbidden');
    const { key: reader } = await platform.client.operations.createApiKey({ name: 'reader', roles: ['reader'] });
    expectProblem(await platform.ask(`GET ${PLAN}`, { key: reader }), 403, 'Forbidden');
    expect(await platform.client.swaps.planAll({ embeddingVersion: MODEL, sample: 0 })).toMatchObject({ plans: [{ plan: 'p3' }] });
    expect(await platform.client.swaps.planTenants({ embeddingVersion: MODEL })).toMatchObject({
      tenants: [{ tenant: 'default', scopes: 1, chunks: DOCUMENTS, reusable: DOCUMENTS }],
    });
  });

  it('is on the log without the names of knowledge bases', async () => {
    expect((await platform.stop()).code).toBe(0);
    const plans = (await recordedEvents(data)).filter(({ type }) => type === 'SwapPlanned');
    expect(plans).toHaveLength(3);
    for (const { data: recorded } of plans) expect(recorded).not.toHaveProperty('knowledgeBases');
  });
});
