import { Unavailable } from '@palimpsest/knowledge/errors';
import { fleetId, type FleetId } from '@palimpsest/knowledge/fleet';
import type { EventLog } from '@palimpsest/knowledge/ports';
import { FleetWorld, named, OPERATOR, type FleetProcess } from '../../test/fleet-world.ts';
import { LARGE, MINI } from '../../test/world.ts';
import { ContinueFleet, ListFleets, RetireFleet, RollBackFleet, StartFleet } from './manage-fleets.ts';

const CALLER = { access: OPERATOR, correlationId: 'request-1' };
const { signal } = new AbortController();

/** A log for one process, which is killed at its write number `at`: before it, or after it and before the process knows. */
class DyingLog {
  writes = 0;
  isDead = false;
  readonly log: EventLog;

  constructor(log: EventLog, at: number, when: 'before' | 'after') {
    const append: EventLog['append'] = async (...given) => {
      if (this.isDead) throw new Unavailable('the process is dead');
      if (++this.writes !== at) return log.append(...given);
      this.isDead = true;
      if (when === 'after') await log.append(...given);
      throw new Unavailable('the process was killed');
    };
    this.log = new Proxy(log, {
      get: (target, name) => {
        if (name === 'append') return append;
        const value = Reflect.get(target, name) as unknown;
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  }
}

const ENDS = { 'rolled-back': RollBackFleet, retired: RetireFleet } as const;
type End = keyof typeof ENDS;

/** A fleet of five scopes in two waves, with this end. Another process continues where the first one was killed. */
const run = async (at: number, when: 'before' | 'after', end: End) => {
  const world = new FleetWorld();
  await world.add(...['a', 'b'].flatMap((tenant) => [named(tenant, 'team:1'), named(tenant, 'team:2')]), named('b', 'team:3'));
  const dying = new DyingLog(world.log, at, when);
  let process = await world.process({ works: false, log: dying.log });
  const surviving = async (work: (process: FleetProcess) => Promise<unknown>): Promise<void> => {
    await work(process).catch(async (error: unknown) => {
      if (!dying.isDead) throw error;
      process = await world.process({ works: false });
    });
  };
  const fleet = () => process.progress.list()[0];
  const until = async (
    isDone: () => boolean | undefined,
    work: (process: FleetProcess, id: FleetId) => Promise<unknown>,
  ): Promise<void> => {
    for (let steps = 0; !isDone(); steps++) {
      if (steps > 100) throw new Error(`the fleet is stuck in ${fleet()?.fleet.stage}`);
      const id = fleetId(fleet()?.id);
      await surviving((now) => now.advance.step(id, signal));
      for (const scope of await world.building()) await world.finish(scope);
      await process.progress.reached(await world.log.head());
      await surviving((now) => work(now, id));
    }
  };
  // A caller whose request failed looks first.
  while ((await process.buses.execute(new ListFleets(CALLER))).fleets.length === 0)
    await surviving((now) => now.buses.execute(new StartFleet(CALLER, { allTenants: true, percents: [40, 100], scopesAtOnce: 2 })));
  await until(
    () => fleet()?.fleet.stage === 'complete',
    async (now, id) => fleet()?.fleet.stage === 'waiting' && now.buses.execute(new ContinueFleet(CALLER, { id })),
  );
  const moved = await Promise.all(world.scopes.map((scope) => world.active(scope)));
  const isOver = (): boolean => [...(fleet()?.scopes.values() ?? [])].every(({ state }) => state === end);
  await until(isOver, async (now, id) => fleet()?.fleet.stage === 'complete' && now.buses.execute(new ENDS[end](CALLER, { id })));
  const result = {
    fleets: process.progress.list().length,
    moved: new Set(moved),
    last: new Set(await Promise.all(world.scopes.map((scope) => world.active(scope)))),
    started: await world.recorded('GenerationStarted'),
    activated: await world.recorded('GenerationActivated'),
    retired: await world.recorded('GenerationRetired'),
    waves: (await world.events(fleetId(fleet()?.id))).filter(({ type }) => type === 'FleetWaveStarted').length,
  };
  await world.stop();
  return { result, writes: dying.writes };
};

const COMMON = { fleets: 1, moved: new Set([LARGE]), started: 5, waves: 2 };
const EXPECTED = {
  'rolled-back': { ...COMMON, last: new Set([MINI]), activated: 5, retired: 0 },
  retired: { ...COMMON, last: new Set([LARGE]), activated: 0, retired: 5 },
};
const CASES = (['before', 'after'] as const).flatMap((when) => (['rolled-back', 'retired'] as const).map((end) => [when, end] as const));

describe('a fleet whose process is killed', () => {
  it.each(CASES)('%s any of its writes is continued by another one, with the same outcome: %s', async (when, end) => {
    const { writes } = await run(Infinity, when, end);
    // Start, assignment, five swaps, two waves, the next wave, later scopes, the end, and five rollbacks or retirements with their command.
    expect(writes).toBeGreaterThanOrEqual(14);
    for (let at = 1; at <= writes; at++) expect({ at, ...(await run(at, when, end)).result }).toEqual({ at, ...EXPECTED[end] });
  });
});
