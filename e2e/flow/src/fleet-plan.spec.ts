import type { PalimpsestClient } from '@palimpsest/client';
import { expectProblem } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aDataFolder, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { recordedEvents } from '@palimpsest/e2e-support/recorded-events';
import { submitText } from '@palimpsest/e2e-support/submit';
import { eventually } from '@palimpsest/test-kit/eventually';

const [BEFORE, AFTER] = ['openai:stand-in/64', 'openai:second/64'];
const WAIT_MS = 600_000;

describe('the plan of a fleet', () => {
  let data: string;
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  let id: string;
  const keys = new Map<string, string>();
  const as = (name: string): PalimpsestClient => platform.as(keys.get(name) ?? '');
  const ask = (name: string, request: string, json?: object) =>
    platform.ask(request, { key: keys.get(name) ?? '', ...(json ? { json } : {}) });
  const start = async (): Promise<void> =>
    void (platform = await PlatformUnderTest.start(data, { ...standIn.settings(), PALIMPSEST_SWAPS_REQUIRE_PLAN: 'true' }));

  beforeAll(async () => {
    data = await aDataFolder();
    standIn = await EmbeddingStandIn.open();
    await start();
    const { operations, models } = platform.client;
    for (const operator of ['ann', 'bob'])
      keys.set(operator, (await operations.createApiKey({ name: operator, roles: ['operator'], user: operator })).key);
    for (const tenant of ['acme', 'bolt']) {
      keys.set(tenant, (await operations.createApiKey({ name: tenant, tenant, teams: ['*'], roles: ['admin'] })).key);
      for (const team of ['red', 'blue']) {
        await as(tenant).knowledgeBases.create({ id: team, scope: `team:${team}` });
        await submitText(as(tenant), { knowledgeBase: team, sourceId: 'a.md', text: `Entry for ${team} of ${tenant}.` });
      }
    }
    await models.add({
      openai: { baseUrl: standIn.settings()['PALIMPSEST_OPENAI_BASE_URL'] ?? '', model: 'second', dimensions: 64 },
      pricePerMillionTokens: 3,
    });
  });

  it('is required by the setting', async () => {
    expectProblem(await ask('ann', 'POST /v1/fleets', { allTenants: true, embeddingVersion: AFTER }), 409, 'Conflict');
  });

  it('says by tenant what the fleet would take, without names of scopes', async () => {
    const plan = await as('ann').fleets.plan({
      ...{ allTenants: true, embeddingVersion: AFTER, percents: [100], undecided: 'cut-over', sample: 2, seed: 7 },
      canary: [{ tenant: 'acme', scope: 'team:red' }],
    });
    ({ id } = plan);
    expect(plan).toMatchObject({
      ...{ embeddingVersion: AFTER, waves: ['canary', 'all'], left: 0, seed: 7 },
      total: { scopes: 4, documents: 4, chunks: 4, reusable: 0, bytes: { vectors: 4 * 64 * 4 } },
      plannedBy: { user: 'ann' },
    });
    expect(plan.tenants.map(({ tenant, scopes, chunks }) => [tenant, scopes, chunks]).sort()).toEqual([
      ['acme', 2, 2],
      ['bolt', 2, 2],
    ]);
    expect(plan.total.cost).toBeCloseTo((3 * plan.total.tokens) / 1e6, 12);
    expect(plan.total.seconds).toBeGreaterThan(0);
    expect(JSON.stringify(plan)).not.toContain('team:');
    expect((await as('bob').fleets.plans()).map((each) => each.id)).toEqual([id]);
    expect(await as('bob').fleets.list()).toEqual([]);
  });

  it('does not exist for tenants, is approved by another person, and is started with nothing else', async () => {
    for (const request of [`GET /v1/fleets/${id}/plan`, `POST /v1/fleets/${id}/plan/approve`])
      expectProblem(await ask('acme', request), 404, 'NotFound');
    expectProblem(await ask('acme', 'POST /v1/fleets', { plan: id }), 404, 'NotFound');
    const early = await ask('bob', 'POST /v1/fleets', { plan: id });
    expectProblem(early, 409, 'Conflict');
    expect(early.json['detail']).toMatch('is not approved yet');
    expectProblem(await ask('ann', `POST /v1/fleets/${id}/plan/approve`), 403, 'Forbidden');
    expect(await as('bob').fleets.approvePlan(id)).toMatchObject({ approved: { by: { user: 'bob' } } });
    const other = await ask('ann', 'POST /v1/fleets', { plan: id, embeddingVersion: BEFORE });
    expectProblem(other, 409, 'Conflict');
    expect(other.json['detail']).toMatch(`is for the model ${AFTER}, not ${BEFORE}`);
  });

  it('survives a SIGKILL, and its fleet moves every scope without plans of their own', async () => {
    await platform.kill();
    await start();
    expect(await as('ann').fleets.start({ plan: id })).toMatchObject({ id, waves: [{ name: 'canary', scopes: 1 }, { scopes: 3 }] });
    const isNow = (state: string) =>
      eventually(`the fleet is ${state}`, async () => (await as('ann').fleets.get(id)).state === state || undefined, WAIT_MS);
    await isNow('waiting');
    await as('ann').fleets.continue(id);
    await isNow('complete');
    for (const tenant of ['acme', 'bolt'])
      for (const team of ['red', 'blue'])
        expect((await as(tenant).swaps.get(`team:${team}`)).generations).toMatchObject([
          { status: 'standby', embeddingVersion: BEFORE },
          { status: 'active', embeddingVersion: AFTER },
        ]);
    expect(await as('ann').fleets.getPlan(id)).toMatchObject({ startedAt: expect.any(String) });
    expectProblem(await ask('ann', 'POST /v1/fleets', { plan: id }), 409, 'Conflict');
  });

  it('of a tenant counts what is left, and finds the vectors of the first fleet', async () => {
    await as('ann').fleets.rollBack(id);
    await eventually('it is rolled back', async () => (await as('ann').fleets.get(id)).unfinished === 0 || undefined, WAIT_MS);
    const plan = await as('acme').fleets.plan({ embeddingVersion: AFTER, sample: 0 });
    expect(plan).toMatchObject({ tenant: 'acme', tenants: [{ tenant: 'acme', scopes: 2, reusable: 2, tokens: 0 }], left: 0 });
    expectProblem(await ask('bolt', `GET /v1/fleets/${plan.id}/plan`), 404, 'NotFound');
    expect(await as('acme').fleets.plan({ embeddingVersion: BEFORE, sample: 0 })).toMatchObject({ total: { scopes: 0 }, left: 2 });
  });

  it('is on the log, with who approved it', async () => {
    expect((await platform.stop()).code).toBe(0);
    const events = await recordedEvents(data);
    const count = (type: string): number => events.filter((event) => event.type === type).length;
    expect([count('FleetPlanned'), count('FleetPlanApproved'), count('FleetStarted'), count('SwapPlanned')]).toEqual([3, 1, 1, 0]);
  });
});
