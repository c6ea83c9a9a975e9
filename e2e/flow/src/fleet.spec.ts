import type { FleetView, PalimpsestClient } from '@palimpsest/client';
import { expectProblem } from '@palimpsest/e2e-support/ask';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aDataFolder, DISTRIBUTED, PlatformUnderTest } from '@palimpsest/e2e-support/platform-under-test';
import { recordedEvents } from '@palimpsest/e2e-support/recorded-events';
import { submitText } from '@palimpsest/e2e-support/submit';
import { eventually } from '@palimpsest/test-kit/eventually';

const TENANTS = ['acme', 'bolt', 'core'];
const TEAMS = ['red', 'blue', 'green'];
const SCOPES = TENANTS.length * (TEAMS.length + 1);
const [BEFORE, AFTER] = ['openai:stand-in/64', 'openai:second/64'];
const BAD = 'blue of bolt';
const WAIT_MS = 600_000;

describe('a fleet of scopes of several tenants', () => {
  let standIn: EmbeddingStandIn;
  let platform: PlatformUnderTest;
  let data: string;
  let id: string;
  const keys = new Map<string, string>();
  const admin = (tenant: string): PalimpsestClient => platform.as(keys.get(tenant) ?? '');
  const start = async (): Promise<void> => void (platform = await PlatformUnderTest.start(data, standIn.settings()));
  /** A key that is only an operator: it reads no scope of any tenant. */
  const operator = (): PalimpsestClient => platform.as(keys.get('operator') ?? '');
  const isNow = (what: string, check: (fleet: FleetView) => boolean): Promise<FleetView> =>
    eventually(
      `the fleet ${what}`,
      async () => {
        const fleet = await operator().fleets.get(id);
        return check(fleet) ? fleet : undefined;
      },
      WAIT_MS,
    );
  /** Holds the next answers of the model until the returned function is called, and waits for the first request. */
  const hold = (): Readonly<{ reached: Promise<void>; release: () => void }> => {
    const [gate, reached] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    standIn.beforeAnswer = () => {
      reached.resolve();
      return gate.promise;
    };
    return { reached: reached.promise, release: gate.resolve };
  };
  const killedWhileHeld = async ({ reached, release }: ReturnType<typeof hold>): Promise<void> => {
    await reached;
    await platform.kill();
    standIn.beforeAnswer = () => Promise.resolve();
    release();
    await start();
  };
  const active = async (): Promise<readonly string[]> => {
    const found = [];
    for (const tenant of TENANTS)
      for (const scope of ['deployment', ...TEAMS.map((team) => `team:${team}`)]) {
        const { generations } = await admin(tenant).swaps.get(scope);
        found.push(`${tenant}/${scope} ${generations.find(({ status }) => status === 'active')?.embeddingVersion}`);
      }
    return found;
  };
  const allOn = (model: string, ...except: readonly string[]): readonly string[] =>
    TENANTS.flatMap((tenant) =>
      ['deployment', ...TEAMS.map((team) => `team:${team}`)].map(
        (scope) => `${tenant}/${scope} ${except.includes(`${tenant}/${scope}`) ? BEFORE : model}`,
      ),
    );

  beforeAll(async () => {
    data = await aDataFolder();
    standIn = await EmbeddingStandIn.open();
    await start();
    const { operations, models } = platform.client;
    keys.set('operator', (await operations.createApiKey({ name: 'operator', roles: ['operator'] })).key);
    for (const tenant of TENANTS) {
      keys.set(tenant, (await operations.createApiKey({ name: tenant, tenant, teams: ['*'], roles: ['admin'] })).key);
      await submitText(admin(tenant), { sourceId: 'deployment.md', text: `Entry for all of ${tenant}.` });
      for (const team of TEAMS) {
        await admin(tenant).knowledgeBases.create({ id: team, scope: `team:${team}` });
        for (const n of [1, 2])
          await submitText(admin(tenant), { knowledgeBase: team, sourceId: `${n}.md`, text: `Entry ${n} for ${team} of ${tenant}.` });
      }
    }
    await models.add({
      openai: { baseUrl: standIn.settings()['PALIMPSEST_OPENAI_BASE_URL'] ?? '', model: 'second', dimensions: 64 },
    });
    standIn.unsteady = (text) => text.includes(BAD);
  });

  it('begins with the canary scopes, and continues after a SIGKILL in the middle', async () => {
    const held = hold();
    const fleet = await operator().fleets.start({
      allTenants: true,
      embeddingVersion: AFTER,
      canary: [
        { tenant: 'acme', scope: 'deployment' },
        { tenant: 'core', scope: 'team:red' },
      ],
      percents: [100],
      undecided: 'cut-over',
      scopesAtOnce: 3,
    });
    ({ id } = fleet);
    expect(fleet).toMatchObject({
      ...{ state: 'running', wave: 1, embeddingVersion: AFTER },
      waves: [
        { name: 'canary', scopes: 2, tenants: 2 },
        { name: 'all', scopes: SCOPES - 2, tenants: 3 },
      ],
    });
    await killedWhileHeld(held);
    expect(await isNow('waits', ({ state }) => state === 'waiting')).toMatchObject({
      waves: [{ state: 'complete', counts: { moved: 2 } }, {}],
    });
  });

  it('is stopped in the second wave by a bad scope, whose name no other tenant reads', async () => {
    const held = hold();
    await operator().fleets.continue(id);
    await killedWhileHeld(held);
    const stopped = await isNow('is stopped', ({ state }) => state === 'paused');
    expect(stopped.paused).toMatchObject({ by: 'rule', reason: expect.stringContaining('a loss in 1 of 10 scopes') });
    expect(stopped.needsAttention).toMatchObject({ total: 1, scopes: [{ tenant: 'bolt', state: 'worse' }] });
    expect(JSON.stringify(stopped)).not.toMatch(/team:|deployment/);
    for (const tenant of TENANTS)
      expectProblem(await platform.ask(`GET /v1/fleets/${id}`, { key: keys.get(tenant) ?? '' }), 404, 'NotFound');
    expect((await admin('bolt').swaps.get('team:blue')).evaluation).toMatchObject({ verdict: 'worse' });
    const refused = await platform.ask('POST /v1/fleets', { key: keys.get('operator') ?? '', json: { allTenants: true } });
    expectProblem(refused, 409, 'Conflict');
    expectProblem(await platform.ask(`POST /v1/fleets/${id}/retire`, { key: keys.get('operator') ?? '' }), 409, 'Conflict');
  });

  it('is complete once a person accepts the wave; the bad scope keeps its model', async () => {
    await operator().fleets.continue(id);
    expect(await isNow('is complete', ({ state }) => state === 'complete')).toMatchObject({
      waves: [{ counts: { moved: 2 } }, { counts: { moved: 9, worse: 1 } }],
    });
    expect(await active()).toEqual(allOn(AFTER, 'bolt/team:blue'));
  });

  it('is rolled back with one event for each scope, also after a SIGKILL', async () => {
    await operator().fleets.rollBack(id);
    await platform.kill();
    await start();
    expect(await isNow('is rolled back', ({ unfinished }) => unfinished === 0)).toMatchObject({
      state: 'rolled-back',
      waves: [{ counts: { 'rolled-back': 2 } }, { counts: { 'rolled-back': 9, cancelled: 1 } }],
      needsAttention: { total: 0 },
    });
    expect(await active()).toEqual(allOn(BEFORE));
    const { hits } = await admin('core').search({ query: 'Entry 1 for green of core', knowledgeBases: ['green'] });
    expect(hits[0]?.source).toBe('1.md');
  });

  it('of a tenant is the matter of its administrator', async () => {
    standIn.unsteady = () => false;
    const { acme, bolt } = { acme: admin('acme'), bolt: admin('bolt') };
    const fleet = await acme.fleets.start({ embeddingVersion: AFTER, percents: [100], undecided: 'cut-over' });
    expect(fleet).toMatchObject({ tenant: 'acme', waves: [{ scopes: 4, tenants: 1 }] });
    ({ id } = fleet);
    await isNow('is complete', ({ state }) => state === 'complete');
    expect((await bolt.fleets.list()).length).toBe(0);
    expect((await acme.fleets.list()).map((each) => each.id)).toEqual([id]);
    expectProblem(await platform.ask(`POST /v1/fleets/${id}/rollback`, { key: keys.get('bolt') ?? '' }), 404, 'NotFound');
    expectProblem(await platform.ask('POST /v1/fleets', { key: keys.get('bolt') ?? '', json: { allTenants: true } }), 403, 'Forbidden');
  });

  it('is retired after its end: the previous generations are gone, and it cannot be rolled back', async () => {
    const acme = admin('acme');
    expectProblem(await platform.ask(`POST /v1/fleets/${id}/retire`, { key: keys.get('bolt') ?? '' }), 404, 'NotFound');
    expect((await acme.fleets.retire(id)).retired).toMatchObject({ at: expect.any(String) });
    const { retired, waves } = await isNow('is retired', ({ unfinished }) => unfinished === 0);
    expect(waves).toMatchObject([{ counts: { retired: 4 } }]);
    const { scopes, memory = 0, disk = 0 } = retired?.freed ?? {};
    // An index server does not say what it uses.
    expect({ scopes, isFreed: memory + disk > 0 }).toEqual(
      DISTRIBUTED ? { scopes: undefined, isFreed: false } : { scopes: 4, isFreed: true },
    );
    for (const scope of ['deployment', ...TEAMS.map((team) => `team:${team}`)]) {
      const { generations } = await acme.swaps.get(scope);
      expect(generations.filter(({ status }) => status === 'standby' || status === 'active')).toMatchObject([{ embeddingVersion: AFTER }]);
    }
    const { hits } = await acme.search({ query: 'Entry 1 for green of acme', knowledgeBases: ['green'] });
    expect(hits[0]?.source).toBe('1.md');
    expectProblem(await platform.ask(`POST /v1/fleets/${id}/rollback`, { key: keys.get('acme') ?? '' }), 409, 'Conflict');
  });

  it('moves scopes that have the model to another chunking', async () => {
    const acme = admin('acme');
    const chunking = { markdown: { maxChars: 400 }, tokens: { maxTokens: 100 } };
    const fleet = await acme.fleets.start({ embeddingVersion: AFTER, chunking, percents: [100], undecided: 'cut-over' });
    expect(fleet).toMatchObject({ embeddingVersion: AFTER, chunking });
    ({ id } = fleet);
    expect(await isNow('is complete', ({ state }) => state === 'complete')).toMatchObject({ waves: [{ counts: { moved: 4 } }] });
    for (const scope of ['deployment', ...TEAMS.map((team) => `team:${team}`)]) {
      const { generations } = await acme.swaps.get(scope);
      expect(generations.find(({ status }) => status === 'active')).toMatchObject({ embeddingVersion: AFTER, chunking });
    }
    const { hits } = await acme.search({ query: 'Entry 1 for green of acme', knowledgeBases: ['green'] });
    expect(hits[0]?.source).toBe('1.md');
  });

  it('did nothing twice, and its steps are in the audit trail', async () => {
    for (const [step, times] of [
      ['continue', 2],
      ['rollback', 1],
    ] as const) {
      const { entries } = await platform.client.operations.audit({ operation: `/v1/fleets/:id/${step}` });
      expect(entries.filter(({ status }) => status === 200)).toHaveLength(times);
    }
    const { entries } = await admin('acme').operations.audit({ operation: '/v1/fleets/:id/retire' });
    expect(entries.map(({ status }) => status)).toEqual([200]);
    await platform.stop();
    const events = await recordedEvents(data);
    const byFleets = (type: string) => events.filter((event) => event.type === type && event.metadata['actor'] === 'fleet-worker');
    expect(byFleets('GenerationStarted')).toHaveLength(SCOPES + 2 * 4);
    // Each scope that was cut over went back with one event, and undecided scopes were cut over with one.
    expect(byFleets('GenerationActivated')).toHaveLength(2 * (SCOPES - 1) + 2 * 4);
    // The bad scope of the first fleet was cancelled; each scope of acme had a generation before each of the two fleets.
    expect(byFleets('GenerationRetired')).toHaveLength(1 + 2 * 4);
    expect(new Set(byFleets('GenerationStarted').map(({ metadata }) => metadata['correlationId'])).size).toBe(3);
  });
});
