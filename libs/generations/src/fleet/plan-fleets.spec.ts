import type { Access } from '@palimpsest/knowledge/access';
import { Conflict, Forbidden, InvalidValue, NotFound } from '@palimpsest/knowledge/errors';
import { fleetId, type FleetId } from '@palimpsest/knowledge/fleet';
import { tenantId } from '@palimpsest/knowledge/values';
import { eventually } from '@palimpsest/test-kit';
import { ACME, FleetWorld, named, OPERATOR, type FleetProcess } from '../../test/fleet-world.ts';
import { LARGE, MINI } from '../../test/world.ts';
import type { NewFleet } from './asked-fleet.ts';
import { CancelFleet, GetFleet, ListFleets, StartFleet } from './manage-fleets.ts';
import { ApproveFleetPlan, GetFleetPlan, PlanFleet, type PlanInput } from './plan-fleets.ts';

const COLLEAGUE: Access = { ...OPERATOR, actor: 'key:colleague' };
const ADMIN: Access = { ...ACME, user: 'ann' };
const SECOND_ADMIN: Access = { ...ACME, actor: 'key:acme-2', user: 'bob' };
const STRANGER: Access = { ...ACME, tenant: tenantId('bolt'), actor: 'key:bolt' };
let world: FleetWorld;
let process: FleetProcess;
let id: FleetId;

beforeEach(async () => {
  world = new FleetWorld();
  await world.add(named('acme', 'team:a0'), named('acme', 'team:a1'), named('bolt', 'team:b0'));
  process = await world.process();
});
afterEach(() => world.stop());

const caller = (access: Access) => ({ access, correlationId: 'request-1' });
const plan = async (input: PlanInput = {}, access: Access = OPERATOR) => {
  const planned = await process.buses.execute(
    new PlanFleet(caller(access), { allTenants: access === OPERATOR, percents: [50, 100], ...input }),
  );
  id = fleetId(planned.id);
  return planned;
};
const approve = (access: Access = COLLEAGUE) => process.buses.execute(new ApproveFleetPlan(caller(access), { id }));
const start = (access: Access = OPERATOR, input: NewFleet = {}) =>
  process.buses.execute(new StartFleet(caller(access), { plan: id, ...input }));
const shown = (access: Access = OPERATOR) => process.buses.execute(new GetFleetPlan(caller(access), { id }));
const requiringPlans = async (): Promise<void> => {
  await world.stop();
  world.requirePlan = true;
  process = await world.process();
};

describe('the plan of a fleet', () => {
  it('has sums by tenant, names no scope, and starts nothing', async () => {
    const planned = await plan({ canary: [named('acme', 'team:a1')], worsePercent: 5 });
    expect(planned).toMatchObject({
      ...{ embeddingVersion: LARGE, waves: ['canary', '50 %', 'all'], rule: { worsePercent: 5 }, left: 0 },
      total: { scopes: 3, chunks: 30, tokens: 150 },
      tenants: [
        { tenant: 'acme', scopes: 2 },
        { tenant: 'bolt', scopes: 1 },
      ],
      plannedBy: { actor: 'key:operator' },
    });
    expect(JSON.stringify(await shown())).not.toContain('team:');
    expect(await shown()).toEqual({ ...planned, position: undefined });
    const { fleets, plans } = await process.buses.execute(new ListFleets(caller(OPERATOR)));
    expect([fleets, plans.map((each) => each.id)]).toEqual([[], [id]]);
    expect(await world.building()).toEqual([]);
    await expect(process.buses.execute(new GetFleet(caller(OPERATOR), { id }))).rejects.toBeInstanceOf(NotFound);
    await expect(process.buses.execute(new CancelFleet(caller(OPERATOR), { id }))).rejects.toThrow(/only planned: start it/);
  });

  it('embeds a sample of the own tenant, and of all tenants only if it is asked to', async () => {
    await plan({}, ADMIN);
    await plan();
    await plan({ sample: 8, seed: 7 });
    expect(world.measured.map(([scopes, { sample }]) => [scopes.length, sample])).toEqual([
      [2, 64],
      [3, 0],
      [3, 8],
    ]);
    expect(world.measured[2]?.[1]).toEqual({ target: { embeddingVersion: LARGE }, sample: 8, seed: 7 });
  });

  it('may be for another chunking, which the start may repeat but not change', async () => {
    const chunking = { markdown: { maxChars: 800 }, tokens: { maxTokens: 200 } };
    expect(await plan({ chunking })).toMatchObject({ chunking });
    expect(world.measured[0]?.[1]).toMatchObject({ target: { embeddingVersion: LARGE, chunking } });
    await expect(start(OPERATOR, { chunking: 'knowledge-base' })).rejects.toThrow(/with other chunking/);
    const again = { tokens: { maxTokens: 200 }, markdown: { maxChars: 800 } };
    expect(await start(OPERATOR, { chunking: again })).toMatchObject({ chunking });
  });

  it('is started exactly, once', async () => {
    await plan({ seed: 7, scopesAtOnce: 2 });
    expect(await start()).toMatchObject({ id, waves: [{ name: '50 %' }, { name: 'all' }], seed: 7, scopesAtOnce: 2 });
    expect(await shown()).toMatchObject({ startedAt: expect.any(String) });
    expect((await process.buses.execute(new ListFleets(caller(OPERATOR)))).plans).toEqual([]);
    await process.buses.execute(new CancelFleet(caller(OPERATOR), { id }));
    await expect(start()).rejects.toThrow(/was used already/);
    await expect(approve()).rejects.toThrow(/was used already/);
  });

  it('may be repeated by the start, but not changed', async () => {
    await plan({ canary: [named('acme', 'team:a1')], percents: [100], seed: 7 });
    await expect(start(OPERATOR, { embeddingVersion: MINI })).rejects.toThrow(`is for the model ${LARGE}, not ${MINI}`);
    await expect(start(OPERATOR, { allTenants: false })).rejects.toThrow(/is for the scopes of all tenants/);
    await expect(start(OPERATOR, { percents: [10, 100], undecided: 'cut-over' })).rejects.toThrow(/with other undecided, percents/);
    await start(OPERATOR, { allTenants: true, embeddingVersion: LARGE, percents: [100], seed: 7, canary: [named('acme', 'team:a1')] });
  });

  it('does not hold if the price, the limits, the model or the scopes changed, or after a week', async () => {
    await plan();
    world.described = { pricePerMillionTokens: 3 };
    await expect(start()).rejects.toThrow(/price of the model was unknown; it is 3 now/);
    world.described = { limits: { requestsPerMinute: 1 } };
    await expect(start()).rejects.toThrow(/other limits/);
    world.described = {};
    world.chunks = 1_081;
    await expect(start()).rejects.toThrow(/had 900 chunks; they have 1081 now/);
    world.chunks = 900;
    world.versions = [MINI];
    await expect(start()).rejects.toBeInstanceOf(InvalidValue);
    world.versions = [MINI, LARGE];
    world.jump(8 * 24 * 60);
    await expect(start()).rejects.toThrow(/is 8 days old/);
  });

  it('is refused for what a start refuses', async () => {
    await expect(plan({ percents: [10, 5] })).rejects.toThrow(/^percents/);
    await expect(plan({ embeddingVersion: 'fake:none/8' })).rejects.toBeInstanceOf(InvalidValue);
    await expect(plan({ canary: [named('acme', 'team:nil')] })).rejects.toBeInstanceOf(NotFound);
    expect(world.measured).toEqual([]);
  });

  it('is made once at a time', async () => {
    const measure = world.measure;
    const { promise, resolve } = Promise.withResolvers<void>();
    Object.assign(world, { measure: (...asked: Parameters<typeof measure>) => promise.then(() => measure(...asked)) });
    const first = plan();
    await expect(plan()).rejects.toThrow(/is being made/);
    resolve();
    await first;
  });
});

describe('the approval of a fleet', () => {
  it('is by another person, and names both', async () => {
    await plan();
    await expect(approve(OPERATOR)).rejects.toThrow(/was made by you/);
    expect(await approve()).toMatchObject({ plannedBy: { actor: 'key:operator' }, approved: { by: { actor: 'key:colleague' } } });
    const events = await world.events(id);
    await approve();
    expect(await world.events(id)).toHaveLength(events.length);
    await plan({}, ADMIN);
    await expect(approve({ ...ADMIN, actor: 'key:second-of-ann' })).rejects.toBeInstanceOf(Forbidden);
    expect(await approve(SECOND_ADMIN)).toMatchObject({ approved: { by: { user: 'bob' } } });
  });

  it('is needed where swaps need a plan; the swaps of the fleet need none of their own', async () => {
    await requiringPlans();
    const withoutPlan = new StartFleet(caller(OPERATOR), { allTenants: true });
    await expect(process.buses.execute(withoutPlan)).rejects.toThrow(/need an approved plan: plan the fleet/);
    await plan({ percents: [100] });
    await expect(start()).rejects.toThrow(/is not approved yet/);
    await approve();
    await start();
    await eventually('all are being built', async () => ((await world.building()).length === 3 ? true : undefined));
    for (const scope of world.scopes) await world.finish(scope);
    await eventually('the fleet is complete', () =>
      Promise.resolve(process.progress.get(id)?.fleet.stage === 'complete' ? true : undefined),
    );
  });
});

describe('the callers of a plan', () => {
  it('are operators for all tenants, and admins for their own', async () => {
    await expect(plan({ allTenants: true }, ADMIN)).rejects.toBeInstanceOf(Forbidden);
    await expect(plan({}, { ...ADMIN, roles: ['writer'] })).rejects.toBeInstanceOf(Forbidden);
    expect(await plan({}, ADMIN)).toMatchObject({ tenant: 'acme', tenants: [{ tenant: 'acme', scopes: 2 }] });
    expect(await start(ADMIN)).toMatchObject({ tenant: 'acme' });
  });

  it('see no plan of another tenant or of all tenants', async () => {
    for (const mine of [() => plan({}, ADMIN), () => plan()]) {
      await mine();
      for (const act of [approve, start, shown]) await expect(act(STRANGER)).rejects.toBeInstanceOf(NotFound);
      expect((await process.buses.execute(new ListFleets(caller(STRANGER)))).plans).toEqual([]);
    }
    await expect(start(ADMIN)).rejects.toBeInstanceOf(NotFound);
    expect((await process.buses.execute(new ListFleets(caller(ADMIN)))).plans).toHaveLength(1);
    id = fleetId('0'.repeat(12));
    for (const act of [approve, start, shown]) await expect(act(OPERATOR)).rejects.toThrow(/plan of a fleet .* not found/);
  });

  it('cannot start two fleets of the same scopes by two plans', async () => {
    await plan();
    const first = id;
    await plan();
    await start();
    id = first;
    await expect(start()).rejects.toBeInstanceOf(Conflict);
  });
});
