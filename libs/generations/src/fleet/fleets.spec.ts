import type { FleetView } from '@palimpsest/contracts/http';
import type { Access } from '@palimpsest/knowledge/access';
import { Conflict, Forbidden, InvalidValue, NotFound } from '@palimpsest/knowledge/errors';
import { fleetId, type FleetId } from '@palimpsest/knowledge/fleet';
import { recipeWith, scopeKey, type TenantScope } from '@palimpsest/knowledge/values';
import { eventually } from '@palimpsest/test-kit';
import { ACME, FleetWorld, named, OPERATOR, type FleetProcess } from '../../test/fleet-world.ts';
import { HUGE, LARGE, MINI } from '../../test/world.ts';
import type { NewFleet } from './asked-fleet.ts';
import { fleetFigures } from './fleet-figures.ts';
import {
  CancelFleet,
  ContinueFleet,
  GetFleet,
  ListFleets,
  PauseFleet,
  ResumeFleet,
  RetireFleet,
  RollBackFleet,
  StartFleet,
} from './manage-fleets.ts';
import { FLEET_ACTOR } from './scope-progress.ts';

const TEAMS = ['team:a0', 'team:a1', 'team:a2', 'team:a3'];
let world: FleetWorld;
let process: FleetProcess;
let id: FleetId;

beforeEach(async () => {
  world = new FleetWorld();
  for (const tenant of ['acme', 'bolt', 'core']) await world.add(...TEAMS.map((scope) => named(tenant, scope)));
  process = await world.process();
});
afterEach(() => world.stop());

const caller = (access: Access = OPERATOR) => ({ access, correlationId: 'request-1' });
const start = async (plan: NewFleet = {}, access: Access = OPERATOR): Promise<FleetView> => {
  const fleet = await process.buses.execute(
    new StartFleet(caller(access), { allTenants: access === OPERATOR, percents: [25, 100], scopesAtOnce: 12, ...plan }),
  );
  id = fleetId(fleet.id);
  return fleet;
};
const get = (access: Access = OPERATOR): Promise<FleetView> => process.buses.execute(new GetFleet(caller(access), { id }));
type Named = typeof PauseFleet | typeof ResumeFleet | typeof ContinueFleet | typeof CancelFleet | typeof RollBackFleet | typeof RetireFleet;
const act = (Command: Named, access: Access = OPERATOR): Promise<FleetView> => process.buses.execute(new Command(caller(access), { id }));
const isNow = (what: string, check: (fleet: FleetView) => boolean): Promise<FleetView> =>
  eventually(what, async () => {
    const fleet = await get();
    return check(fleet) ? fleet : undefined;
  });
const inState = (state: FleetView['state']) => isNow(`the fleet is ${state}`, (fleet) => fleet.state === state);
const built = (count: number): Promise<readonly TenantScope[]> =>
  eventually(`${count} scopes are being built`, async () => {
    const found = await world.building();
    return found.length === count ? found : undefined;
  });
const finishAll = async (count: number): Promise<readonly TenantScope[]> => {
  const scopes = await built(count);
  for (const scope of scopes) await world.finish(scope);
  return scopes;
};
const models = async () => Promise.all(world.scopes.map((scope) => world.active(scope)));

describe('a fleet', () => {
  it('moves all scopes in waves, waits for a person after each, and is complete', async () => {
    expect(await start({ canary: [named('bolt', 'team:a1')] })).toMatchObject({
      state: 'running',
      wave: 1,
      waves: [
        { name: 'canary', state: 'running', scopes: 1, tenants: 1 },
        { name: '25 %', state: 'waiting', scopes: 3 },
        { name: 'all', state: 'waiting', scopes: 8 },
      ],
    });
    expect(await finishAll(1)).toEqual([named('bolt', 'team:a1')]);
    await inState('waiting');
    await act(ContinueFleet);
    await finishAll(3);
    await inState('waiting');
    await act(ContinueFleet);
    await finishAll(8);
    expect(await inState('complete')).toMatchObject({
      unfinished: 0,
      waves: [{ state: 'complete', counts: { moved: 1 } }, { counts: { moved: 3 } }, { counts: { moved: 8 } }],
      needsAttention: { total: 0 },
    });
    expect(new Set(await models())).toEqual(new Set([LARGE]));
    expect(world.faults).toEqual([]);
  });

  it('moves all scopes to another chunking, also those that have the model', async () => {
    const chunking = { markdown: { maxChars: 800 } };
    const same = named('acme', 'team:a0');
    await world.act(same, { type: 'StartGeneration', recipe: recipeWith({ version: LARGE }) }, 'key:acme');
    await world.build(same);
    expect(await start({ percents: [100], chunking })).toMatchObject({ chunking });
    await finishAll(12);
    await inState('complete');
    for (const scope of world.scopes) {
      const recipe = (await world.state(scope)).generations.find(({ status }) => status === 'active')?.recipe;
      expect(recipe).toMatchObject({ embedding: { version: LARGE }, chunking: { settings: chunking } });
    }
    await start({ percents: [100], chunking });
    expect(await inState('complete')).toMatchObject({ chunking, waves: [{ counts: { 'left-out': 12 } }] });
    // Only back to the settings of each knowledge base.
    await start({ percents: [100], chunking: 'knowledge-base' });
    await built(12);
  });

  it('goes on automatically if its rule says so', async () => {
    await start({ advance: 'automatic' });
    await finishAll(3);
    await finishAll(9);
    await inState('complete');
  });

  it('gives each scope an ordinary swap with a gate, and one without an evaluation to a scope without chunks', async () => {
    world.empty.add(scopeKey(named('core', 'team:a3')));
    await start({ percents: [100] });
    await built(12);
    for (const scope of world.scopes)
      expect((await world.state(scope)).swap?.cutover).toBe(world.empty.has(scopeKey(scope)) ? 'automatic' : 'gate');
    await world.build(named('core', 'team:a3'));
    await isNow('it is moved', ({ waves: [wave] }) => wave?.counts.moved === 1);
  });

  it('has at most the given number of swaps at the same time, of all tenants in turn', async () => {
    const large = Array.from({ length: 20 }, (_, n) => named('large', `team:l${n}`));
    await world.add(...large);
    await start({ percents: [100], scopesAtOnce: 4 });
    for (let done = 0; done < 32; done += 4) {
      const scopes = await built(4);
      // While each of the four tenants has scopes, each has one swap.
      if (done < 16) expect(new Set(scopes.map(({ tenant }) => tenant)).size).toBe(4);
      for (const scope of scopes) await world.finish(scope);
    }
    await inState('complete');
  });
});

describe('the rule of a fleet', () => {
  it('stops the second wave at a bad scope, pauses its other swaps, and a person may accept it', async () => {
    await start();
    await finishAll(3);
    await inState('waiting');
    await act(ContinueFleet);
    const [bad, good, ...others] = await built(9);
    await world.finish(good as TenantScope);
    await world.finish(bad as TenantScope, 'worse');
    const stopped = await inState('paused');
    expect(stopped.paused).toMatchObject({ by: 'rule', reason: expect.stringMatching(/a loss in 1 of 9 scopes of the wave \(11.1 %\)/) });
    await isNow('the others are paused', ({ waves }) => waves[1]?.counts.paused === 7);
    expect(await world.building()).toEqual([]);
    expect(stopped.needsAttention).toMatchObject({
      total: 1,
      scopes: [{ tenant: bad?.tenant, wave: 2, state: 'worse', reason: 'it is worse' }],
    });
    expect(await world.active(bad as TenantScope)).toBe(MINI);
    await act(ContinueFleet);
    expect(await finishAll(7)).toEqual(expect.arrayContaining(others));
    expect(await inState('complete')).toMatchObject({ waves: [{}, { counts: { moved: 8, worse: 1 } }] });
    expect(await world.active(bad as TenantScope)).toBe(MINI);
  });

  it('accepts a share of worse scopes', async () => {
    await start({ percents: [100], worsePercent: 10 });
    const [bad, ...others] = await built(12);
    await world.finish(bad as TenantScope, 'worse');
    for (const scope of others) await world.finish(scope);
    expect(await inState('complete')).toMatchObject({ waves: [{ counts: { worse: 1, moved: 11 } }] });
  });

  it('stops at a fault, and resuming the fleet resumes the swap', async () => {
    await start();
    const [broken, ...others] = await built(3);
    await world.fail(broken as TenantScope);
    expect((await inState('paused')).paused?.reason).toMatch(/failed for 1 of 3 scopes/);
    expect((await get()).needsAttention.scopes).toMatchObject([{ state: 'failed', reason: 'the model failed 6 times in a row' }]);
    await isNow('the others are paused', ({ waves }) => waves[0]?.counts.paused === 2);
    await act(ResumeFleet);
    expect(await finishAll(3)).toEqual(expect.arrayContaining([broken, ...others]));
    await inState('waiting');
  });

  it('leaves undecided scopes to a person, or cuts them over', async () => {
    await start();
    for (const scope of await built(3)) await world.finish(scope, 'undecided');
    const waiting = await inState('waiting');
    expect(waiting.needsAttention).toMatchObject({ total: 3 });
    await act(CancelFleet);
    await isNow('nothing is left', ({ unfinished }) => unfinished === 0);
    await start({ undecided: 'cut-over' });
    for (const scope of await built(3)) await world.finish(scope, 'undecided');
    expect(await inState('waiting')).toMatchObject({ waves: [{ counts: { moved: 3 } }, {}] });
  });

  it('pauses the fleet while the model is missing, and it continues when it is back', async () => {
    world.versions = [MINI, LARGE, HUGE];
    await start({ embeddingVersion: HUGE, percents: [100], scopesAtOnce: 1 });
    const [first] = await built(1);
    world.versions = [MINI, LARGE];
    await world.finish(first as TenantScope);
    expect((await inState('paused')).paused).toMatchObject({ by: 'platform', reason: `the model ${HUGE} is not available` });
    world.versions = [MINI, LARGE, HUGE];
    await act(ResumeFleet);
    await built(1);
  });
});

describe('a scope of a fleet', () => {
  const [OWN, SAME] = [named('bolt', 'team:a0'), named('bolt', 'team:a1')];

  it('is left out if it has a swap of its own, has the model already, or was erased, with a clear answer', async () => {
    await world.act(OWN, { type: 'StartGeneration', recipe: recipeWith({ version: HUGE }), cutover: 'manual' }, 'key:bolt');
    await world.act(SAME, { type: 'StartGeneration', recipe: recipeWith({ version: LARGE }) }, 'key:bolt');
    await world.build(SAME);
    await world.keys.destroy(named('core', 'team:a0'));
    world.scopes.push(named('core', 'team:never'));
    await start({ percents: [100] });
    // The swap of its own goes on.
    expect(await built(10)).toContainEqual(OWN);
    const fleet = await isNow('all are started', ({ waves: [wave] }) => wave?.counts.waiting === undefined);
    expect(fleet.waves).toMatchObject([{ counts: { 'left-out': 4, building: 9 } }]);
    expect(fleet.needsAttention.scopes.map(({ reason }) => reason).sort()).toEqual([
      'it does not exist any more',
      'it has a swap of its own: finish or cancel that swap',
      'its key was destroyed',
    ]);
    for (const scope of await world.building()) if (scopeKey(scope) !== scopeKey(OWN)) await world.finish(scope);
    await inState('complete');
    expect((await world.state(OWN)).generations).toHaveLength(2);
  });

  it('that is erased during its swap is left out, and stops nothing', async () => {
    await start();
    const [erased, ...others] = await built(3);
    await world.keys.destroy(erased as TenantScope);
    await world.fail(erased as TenantScope);
    for (const scope of others) await world.finish(scope);
    expect(await inState('waiting')).toMatchObject({ waves: [{ counts: { 'left-out': 1, moved: 2 } }, {}] });
  });

  it('that its administrator paused, cancelled or rolled back is listed, and not touched again', async () => {
    await start({ percents: [100] });
    const [held, gone, back, ...others] = (await built(12)) as readonly [TenantScope, TenantScope, TenantScope, ...TenantScope[]];
    await world.act(held, { type: 'Pause', reason: 'not today', by: 'person' }, 'key:own');
    await world.act(gone, { type: 'Cancel' }, 'key:own');
    await world.finish(back);
    await world.act(back, { type: 'RollBack' }, 'key:own');
    for (const scope of others) await world.finish(scope);
    const fleet = await inState('complete');
    expect(fleet.waves).toMatchObject([{ counts: { held: 1, cancelled: 1, 'rolled-back': 1, moved: 9 } }]);
    expect(fleet.needsAttention.scopes.map(({ state }) => state).sort()).toEqual(['cancelled', 'held', 'rolled-back']);
    await world.act(held, { type: 'Resume' }, 'key:own');
    await world.finish(held);
    await isNow('it is moved', ({ waves: [wave] }) => wave?.counts.moved === 10);
  });

  it('that arrives later joins the last wave', async () => {
    await start();
    await world.add(named('late', 'deployment'));
    await finishAll(3);
    await inState('waiting');
    await act(ContinueFleet);
    expect(await finishAll(10)).toContainEqual(named('late', 'deployment'));
    await inState('complete');
    await world.add(named('later', 'deployment'));
    expect((await get()).waves.map(({ scopes }) => scopes)).toEqual([3, 10]);
  });
});

describe('the control of a fleet', () => {
  it('pauses its swaps, and resumes them', async () => {
    await start();
    await built(3);
    await act(PauseFleet);
    await isNow('all are paused', ({ waves: [wave] }) => wave?.counts.paused === 3);
    expect(await get()).toMatchObject({ state: 'paused', paused: { by: 'person' } });
    await act(ResumeFleet);
    await finishAll(3);
    await inState('waiting');
  });

  it('also resumes a swap that a step of its pause reaches after the resumption', async () => {
    await start();
    const [late] = await built(3);
    const pause = { type: 'Pause', reason: 'the fleet is paused', by: 'platform' } as const;
    await world.act(late as TenantScope, pause, FLEET_ACTOR);
    await finishAll(3);
    await inState('waiting');
  });

  it('cancels what is not cut over, and keeps the rest', async () => {
    await start({ percents: [100] });
    const [moved, worse] = await built(12);
    await world.finish(moved as TenantScope);
    await world.finish(worse as TenantScope, 'worse');
    await act(CancelFleet);
    expect(await isNow('nothing is left', ({ unfinished }) => unfinished === 0)).toMatchObject({
      state: 'cancelled',
      waves: [{ counts: { moved: 1, cancelled: 11 } }],
    });
    expect(await models()).toEqual(
      world.scopes.map((scope) => (scope === moved || scopeKey(scope) === scopeKey(moved as TenantScope) ? LARGE : MINI)),
    );
  });

  it('rolls back every scope that it moved with one event each, also after its end, but not what an administrator did since', async () => {
    await start({ percents: [100] });
    await finishAll(12);
    await inState('complete');
    const [retired, own] = [named('acme', 'team:a0'), named('acme', 'team:a1')];
    const [old] = (await world.state(retired)).generations;
    if (old) await world.act(retired, { type: 'Retire', generation: old.id }, 'key:own');
    await world.act(own, { type: 'RollBack' }, 'key:own');
    await world.act(own, { type: 'CutOver' }, 'key:own');
    await act(RollBackFleet);
    const fleet = await isNow('nothing is left', ({ unfinished }) => unfinished === 0);
    expect(fleet).toMatchObject({ state: 'rolled-back', waves: [{ counts: { 'rolled-back': 11, 'left-out': 1 } }] });
    expect(fleet.needsAttention.scopes).toMatchObject([{ reason: expect.stringContaining('cannot be rolled back') }]);
    expect(await world.recorded('GenerationActivated')).toBe(11);
    // A later decision of an administrator counts.
    await world.act(own, { type: 'CutOver' }, 'key:own');
    await isNow('it is moved', ({ waves: [wave] }) => wave?.counts.moved === 1);
    await act(RollBackFleet);
    expect(await world.active(own)).toBe(LARGE);
  });

  it('cancels running swaps when it is rolled back', async () => {
    await start();
    const [moved] = await built(3);
    await world.finish(moved as TenantScope);
    await act(RollBackFleet);
    await isNow('nothing is left', ({ unfinished }) => unfinished === 0);
    expect(new Set(await models())).toEqual(new Set([MINI]));
  });
});

describe('the figures of fleets', () => {
  it('count the fleets that are not over, and their scopes', async () => {
    const figures = () => fleetFigures(process.progress.list());
    expect(figures()).toEqual({ fleets: {}, scopes: {} });
    await start();
    await built(3);
    await isNow('all are started', ({ waves: [wave] }) => wave?.counts.building === 3);
    expect(figures()).toEqual({ fleets: { running: 1 }, scopes: { building: 3, waiting: 9 } });
    await act(RollBackFleet);
    expect(figures()).toEqual({ fleets: {}, scopes: {} });
  });
});

describe('a process of a fleet', () => {
  it('that ends is replaced by another one, which does nothing twice', async () => {
    await start({ percents: [100], scopesAtOnce: 2 });
    const other = await world.process();
    for (let done = 0; done < 12; done += 2) {
      const scopes = await built(2);
      if (done === 4) await process.stop();
      if (done === 4) process = other;
      for (const scope of scopes) await world.finish(scope);
    }
    await inState('complete');
    expect(await world.recorded('GenerationStarted')).toBe(12);
  });

  it('can do each step of another one again', async () => {
    const other = await world.process({ works: false });
    await start({ percents: [100] });
    await built(12);
    const { signal } = new AbortController();
    await Promise.all([process.advance.step(id, signal), other.advance.step(id, signal), other.advance.assign(id, signal)]);
    expect(await world.recorded('GenerationStarted')).toBe(12);
    await act(CancelFleet);
    await Promise.all([process.advance.step(id, signal), other.advance.step(id, signal)]);
    await isNow('nothing is left', ({ unfinished }) => unfinished === 0);
    expect(await world.recorded('GenerationRetired')).toBe(12);
  });

  it('reports a failed step, and repeats it', async () => {
    const load = world.keys.cipher.bind(world.keys);
    let failures = 1;
    world.keys.cipher = (scope) => (failures-- > 0 ? Promise.reject(new Error('no key today')) : load(scope));
    await start();
    await built(3);
    expect(world.faults).toEqual([expect.stringContaining('no key today')]);
  });
});

describe('the callers of a fleet', () => {
  const READER: Access = { ...ACME, roles: ['reader'] };
  const OTHER: Access = { ...ACME, tenant: named('bolt', 'deployment').tenant, teams: ['*'] };

  it('are operators for all tenants, and admins for their own', async () => {
    await expect(start({ allTenants: true }, ACME)).rejects.toBeInstanceOf(Forbidden);
    await expect(start({ allTenants: false })).rejects.toBeInstanceOf(Forbidden);
    await expect(start({}, READER)).rejects.toBeInstanceOf(Forbidden);
    expect(await start({ percents: [100] }, ACME)).toMatchObject({ tenant: 'acme', waves: [{ scopes: 4, tenants: 1 }] });
    expect((await finishAll(4)).map(({ tenant }) => tenant)).toEqual(['acme', 'acme', 'acme', 'acme']);
    await inState('complete');
  });

  it('see only their own fleets; all others do not exist for them', async () => {
    await start({ percents: [100] });
    const list = async (access: Access) => (await process.buses.execute(new ListFleets(caller(access)))).fleets;
    expect([(await list(OPERATOR)).length, (await list(ACME)).length]).toEqual([1, 0]);
    for (const Command of [PauseFleet, ResumeFleet, ContinueFleet, CancelFleet, RollBackFleet, RetireFleet])
      await expect(act(Command, ACME)).rejects.toBeInstanceOf(NotFound);
    await act(CancelFleet);
    await isNow('nothing is left', ({ unfinished }) => unfinished === 0);
    await start({ percents: [100] }, ACME);
    expect((await list(ACME)).map((fleet) => fleet.id)).toEqual([id]);
    expect(await list(OTHER)).toEqual([]);
    await expect(get(OTHER)).rejects.toBeInstanceOf(NotFound);
    await expect(act(RollBackFleet, OTHER)).rejects.toBeInstanceOf(NotFound);
  });

  it('read the names of scopes only if their key may read the scopes', async () => {
    await start({ percents: [100], worsePercent: 100 });
    for (const scope of await built(12)) await world.finish(scope, 'worse');
    const fleet = await inState('complete');
    expect(fleet.needsAttention.total).toBe(12);
    expect(JSON.stringify(fleet)).not.toContain('team:');
    await act(RollBackFleet);
    await isNow('nothing is left', ({ unfinished }) => unfinished === 0);
    await start({ percents: [100], worsePercent: 100 }, ACME);
    for (const scope of await built(4)) await world.finish(scope, 'worse');
    await inState('complete');
    const names = (await get(ACME)).needsAttention.scopes.map(({ scope }) => scope);
    expect(names.filter((name) => name !== undefined)).toEqual(['team:a0']);
    expect(names).toHaveLength(4);
  });

  it('are refused with what is wrong', async () => {
    await expect(start({ embeddingVersion: 'fake:none/8' })).rejects.toBeInstanceOf(InvalidValue);
    await expect(start({ percents: [10, 5, 100] })).rejects.toThrow(/^percents/);
    await expect(start({ canary: [named('acme', 'team:nil')] })).rejects.toBeInstanceOf(NotFound);
    await expect(start({ canary: [named('bolt', 'team:a0')] }, ACME)).rejects.toThrow(/^canary/);
    // A scope that the key may not read, and one that does not exist.
    for (const scope of ['team:a1', 'team:nil'])
      await expect(start({ canary: [named('acme', scope)] }, ACME)).rejects.toThrow(`scope "${scope}" not found`);
    id = fleetId('0'.repeat(12));
    await expect(get()).rejects.toBeInstanceOf(NotFound);
    await start();
    await expect(start()).rejects.toBeInstanceOf(Conflict);
    await start({}, ACME);
  });
});
