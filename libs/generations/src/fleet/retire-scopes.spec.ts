import type { FleetView } from '@palimpsest/contracts/http';
import type { Access } from '@palimpsest/knowledge/access';
import { Conflict, Forbidden } from '@palimpsest/knowledge/errors';
import { fleetId, type FleetId } from '@palimpsest/knowledge/fleet';
import { generationId, recipeWith, type TenantScope } from '@palimpsest/knowledge/values';
import { eventually } from '@palimpsest/test-kit';
import { ACME, FleetWorld, named, OPERATOR, type FleetProcess } from '../../test/fleet-world.ts';
import { HUGE, LARGE } from '../../test/world.ts';
import { CancelFleet, GetFleet, RetireFleet, RollBackFleet, StartFleet } from './manage-fleets.ts';

const [RED, BLUE, GREEN, OTHER] = [
  named('acme', 'team:red'),
  named('acme', 'team:blue'),
  named('acme', 'team:green'),
  named('bolt', 'team:red'),
];
let world: FleetWorld;
let process: FleetProcess;
let id: FleetId;

beforeEach(async () => {
  world = new FleetWorld();
  await world.add(RED, BLUE, GREEN, OTHER);
  process = await world.process();
});
afterEach(() => world.stop());

const caller = (access: Access = OPERATOR) => ({ access, correlationId: 'request-1' });
const start = async (): Promise<void> => {
  const fleet = await process.buses.execute(new StartFleet(caller(), { allTenants: true, percents: [100] }));
  id = fleetId(fleet.id);
};
type Command = typeof RetireFleet | typeof CancelFleet | typeof RollBackFleet;
const act = (Command: Command, access: Access = OPERATOR): Promise<FleetView> => process.buses.execute(new Command(caller(access), { id }));
const isNow = (what: string, check: (fleet: FleetView) => boolean): Promise<FleetView> =>
  eventually(what, async () => {
    const fleet = await process.buses.execute(new GetFleet(caller(), { id }));
    return check(fleet) ? fleet : undefined;
  });
const built = (): Promise<void> =>
  eventually('all are being built', async () => ((await world.building()).length === world.scopes.length ? true : undefined)).then(
    () => undefined,
  );
const complete = async (): Promise<void> => {
  await start();
  await built();
  for (const scope of world.scopes) await world.finish(scope);
  await isNow('the fleet is complete', ({ state }) => state === 'complete');
};
const retired = (): Promise<FleetView> => isNow('nothing is left', ({ retired: is, unfinished }) => is !== undefined && unfinished === 0);
const standby = async (scope: TenantScope) =>
  (await world.state(scope)).generations.filter(({ status }) => status === 'standby').map((generation) => generation.id);

describe('retiring a fleet', () => {
  it('frees the previous generation of every scope, says how much, and cannot be undone', async () => {
    await complete();
    expect(await act(RetireFleet)).toMatchObject({ state: 'complete', retired: { at: expect.any(String) } });
    expect(await retired()).toMatchObject({
      waves: [{ counts: { retired: 4 } }],
      retired: { freed: { scopes: 4, memory: 400, disk: 4_000 } },
      needsAttention: { total: 0 },
    });
    for (const scope of world.scopes) {
      expect(await standby(scope)).toEqual([]);
      expect(await world.active(scope)).toBe(LARGE);
    }
    await expect(act(RollBackFleet)).rejects.toThrow(/was retired at .* so it cannot be rolled back/);
    await act(RetireFleet);
    expect(await world.recorded('GenerationRetired')).toBe(4);
  });

  it('says nothing of bytes if the index is a server', async () => {
    await world.stop();
    world.measures = false;
    process = await world.process();
    await complete();
    await act(RetireFleet);
    expect((await retired()).retired).toEqual({ at: expect.any(String) });
    expect(await world.recorded('GenerationRetired')).toBe(4);
  });

  it('leaves scopes alone that were rolled back or replaced, or that have another swap', async () => {
    await complete();
    await world.act(RED, { type: 'RollBack' }, 'key:own');
    const huge = { type: 'StartGeneration', recipe: recipeWith({ version: HUGE }) } as const;
    await world.act(BLUE, huge, 'key:own');
    await world.build(BLUE);
    await world.act(GREEN, { ...huge, cutover: 'manual' }, 'key:own');
    await act(RetireFleet);
    const fleet = await retired();
    expect(fleet).toMatchObject({
      waves: [{ counts: { 'rolled-back': 1, replaced: 1, 'left-out': 1, retired: 1 } }],
      retired: { freed: { scopes: 1 } },
    });
    expect(fleet.needsAttention.scopes).toContainEqual(
      expect.objectContaining({ state: 'left-out', reason: expect.stringContaining('it has a swap of its own') }),
    );
    expect(await world.recorded('GenerationRetired')).toBe(1);
    expect(await standby(RED)).toEqual([generationId('g2')]);
    expect(await standby(BLUE)).toEqual([generationId('g1'), generationId('g2')]);
    expect(await standby(GREEN)).toEqual([generationId('g1')]);
  });

  it('also frees what an earlier fleet that was rolled back has left', async () => {
    await complete();
    await act(RollBackFleet);
    await isNow('it is rolled back', ({ unfinished }) => unfinished === 0);
    await complete();
    expect(await standby(RED)).toEqual([generationId('g1'), generationId('g2')]);
    await act(RetireFleet);
    expect((await retired()).retired?.freed).toEqual({ scopes: 4, memory: 800, disk: 8_000 });
    expect(await standby(RED)).toEqual([]);
  });

  it('does nothing with a scope whose administrator retired it before, and follows what happens afterwards', async () => {
    await complete();
    await world.act(RED, { type: 'Retire', generation: generationId('g1') }, 'key:own');
    await act(RetireFleet);
    expect(await retired()).toMatchObject({ waves: [{ counts: { retired: 4 } }], retired: { freed: { scopes: 3 } } });
    await world.act(RED, { type: 'StartGeneration', recipe: recipeWith({ version: HUGE }) }, 'key:own');
    await world.build(RED);
    await isNow('it is replaced', ({ waves: [wave] }) => wave?.counts.replaced === 1);
  });

  it('follows a cancellation: what was cut over before keeps the new model', async () => {
    await start();
    await built();
    await world.finish(RED);
    await act(CancelFleet);
    await act(RetireFleet);
    expect(await retired()).toMatchObject({ state: 'cancelled', waves: [{ counts: { retired: 1, cancelled: 3 } }] });
    await expect(act(RollBackFleet)).rejects.toBeInstanceOf(Conflict);
  });

  it('is refused while the fleet runs, after its rollback, and to callers who may not roll it back', async () => {
    await start();
    await expect(act(RetireFleet)).rejects.toThrow(/is not finished \(running\): it can be retired once/);
    await expect(act(RetireFleet, { ...ACME, roles: ['reader'] })).rejects.toBeInstanceOf(Forbidden);
    await act(RollBackFleet);
    await expect(act(RetireFleet)).rejects.toThrow(/is rolled back/);
  });

  it('is repeated after a failure, and does nothing twice', async () => {
    await complete();
    const load = world.bytes.bind(world);
    let failures = 1;
    world.bytes = (of) => (failures-- > 0 ? Promise.reject(new Error('no index today')) : load(of));
    await act(RetireFleet);
    expect(await retired()).toMatchObject({ waves: [{ counts: { retired: 4 } }] });
    expect(world.faults).toEqual([expect.stringContaining('no index today')]);
    expect(await world.recorded('GenerationRetired')).toBe(4);
  });

  it('has the same effect if two processes do it at the same time', async () => {
    await complete();
    const other = await world.process({ works: false });
    await act(RetireFleet);
    await other.progress.reached(await world.log.head());
    const { signal } = new AbortController();
    await Promise.all([process.advance.step(id, signal), other.advance.step(id, signal)]);
    await retired();
    expect(await world.recorded('GenerationRetired')).toBe(4);
    const events = (await world.events(id)).flatMap((event) => (event.type === 'FleetScopesRetired' ? event.data.scopes : []));
    expect(new Set(events.map(({ tenant, scope }) => `${tenant}/${scope}`)).size).toBe(events.length);
  });
});
