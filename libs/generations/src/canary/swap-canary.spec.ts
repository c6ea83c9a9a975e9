import type { Access } from '@palimpsest/knowledge/access';
import { DOCUMENT_RANGES, scope as decider, scopeStream } from '@palimpsest/knowledge/deciders';
import { Conflict, Forbidden, InvalidValue, NotFound } from '@palimpsest/knowledge/errors';
import { UNLIMITED } from '@palimpsest/knowledge/limits';
import { ScopeKeyDestroyed } from '@palimpsest/knowledge/ports';
import { generationId } from '@palimpsest/knowledge/values';
import { Buses } from '@palimpsest/runtime';
import { SYSTEM } from '@palimpsest/foundation';
import { aFakeEmbeddingProvider, eventually } from '@palimpsest/test-kit';
import { recorded, retrieval, type Answer } from '../../test/retrievals.ts';
import { ADMIN, LARGE, MINI, SCOPE, World } from '../../test/world.ts';
import { CancelSwap, CutOverSwap, GetSwap, StartSwap } from '../swap-scope.ts';
import { CompareCanaries } from './compare-canaries.ts';
import { GetCanary, StartCanary, StopCanary, SwapCanary } from './swap-canary.ts';

const { scope } = SCOPE;
const open: CompareCanaries[] = [];
afterEach(async () => {
  for (const comparison of open.splice(0)) await comparison.stop();
});

const comparing = async ({ journal, now }: World, onFault: (error: unknown) => void = unexpected): Promise<CompareCanaries> => {
  const comparison = new CompareCanaries({ journal, now, onFault, system: SYSTEM });
  open.push(comparison);
  await comparison.start();
  return comparison;
};
const unexpected = (error: unknown): never => {
  throw error;
};
const aWorld = async (built = true): Promise<World> => {
  const world = await new World(aFakeEmbeddingProvider({ version: LARGE }), aFakeEmbeddingProvider({ version: MINI })).begin();
  await world.indexed('a', ['apple', 'berry']);
  await callOf(world, await comparing(world)).startSwap();
  if (built) for (let range = 0; range < DOCUMENT_RANGES; range++) await world.build.range(world.run(), generationId('g2'), range);
  return world;
};
const callOf = (world: World, comparison: CompareCanaries, access: Access = ADMIN) => {
  const { journal, keys, catalog, now } = world;
  const canaries = new SwapCanary({ journal, keys, catalog, comparison, now, providers: { models: () => [] } });
  const buses = new Buses([...canaries.handlers, ...world.swaps.handlers], UNLIMITED);
  const caller = { access, correlationId: 'request-1' };
  return {
    startSwap: () => buses.execute(new StartSwap(caller, { scope, cutover: 'manual' })),
    swap: () => buses.execute(new GetSwap(caller, { scope })),
    cutOver: () => buses.execute(new CutOverSwap(caller, { scope })),
    cancel: () => buses.execute(new CancelSwap(caller, { scope })),
    start: (share = 5, more: object = {}) => buses.execute(new StartCanary(caller, { scope, share, ...more })),
    stop: () => buses.execute(new StopCanary(caller, { scope })),
    get: () => buses.execute(new GetCanary(caller, { scope })),
  };
};
const only = async (world: World, access?: Access) => callOf(world, await comparing(world), access);
const alternating = (count: number, canary: Answer) =>
  Array.from({ length: count }, () => [retrieval('active'), retrieval('active'), retrieval('canary', canary)]).flat();
const endOf = async (world: World) => (await world.journal.load(decider, scopeStream(SCOPE))).state.canary?.ended;

describe('the canary of a swap', () => {
  it('is started, changed and stopped by a person, and shown with the swap', async () => {
    const call = await only(await aWorld());
    expect(await call.start()).toMatchObject({
      state: 'ready',
      canary: { generation: 'g2', against: 'g1', share: 5, thresholds: { slowdown: 1.5, emptyShare: 0.05 } },
    });
    expect((await call.start(20, { thresholds: { slowdown: 3 } })).canary).toMatchObject({
      share: 20,
      thresholds: { slowdown: 3, emptyShare: 0.05 },
    });
    expect((await call.swap()).canary).not.toHaveProperty('ended');
    expect((await call.stop()).canary).toMatchObject({ ended: { reason: 'stopped' } });
    expect((await call.get()).canary).toMatchObject({ share: 20, ended: { reason: 'stopped' } });
  });

  it('ends with the cut-over and with the swap', async () => {
    const first = await only(await aWorld());
    await first.start();
    expect((await first.cutOver()).canary).toMatchObject({ ended: { reason: 'cut-over' } });
    const second = await only(await aWorld());
    await second.start();
    expect((await second.cancel()).canary).toMatchObject({ ended: { reason: 'cancelled' } });
  });

  it('is refused for a generation that is not built, an unknown share, and without a reason to force it', async () => {
    const call = await only(await aWorld(false));
    await expect(call.start()).rejects.toThrow(/g2 .* is not built: 16 of 16 ranges/);
    await expect(call.stop()).rejects.toThrow(Conflict);
    await expect(call.get()).rejects.toThrow(NotFound);
    await expect(call.start(101)).rejects.toThrow(Conflict);
    const ready = await only(await aWorld());
    await expect(ready.start(101)).rejects.toThrow(InvalidValue);
    await expect(ready.start(5, { force: true })).rejects.toThrow(/reason/);
  });

  it('is refused for a scope that was erased', async () => {
    const world = await aWorld();
    const call = await only(world);
    await world.keys.destroy(SCOPE);
    await expect(call.start()).rejects.toThrow(ScopeKeyDestroyed);
  });

  it('is started once by two operators at once, and ended once', async () => {
    const world = await aWorld();
    const call = await only(world);
    const starts = await Promise.all([call.start(5), call.start(5)]);
    expect(starts.map(({ canary }) => canary?.share)).toEqual([5, 5]);
    await Promise.all([call.stop(), call.stop()]);
    const types: string[] = [];
    for await (const { event } of world.journal.readStream(scopeStream(SCOPE))) types.push(event.type);
    expect(types.filter((type) => type.startsWith('Canary'))).toEqual(['CanaryStarted', 'CanaryEnded']);
  });

  it.each<[string, Access, new (...args: never[]) => Error]>([
    ['a writer', { ...ADMIN, roles: ['writer'] }, Forbidden],
    ['an admin who may not read the scope', { ...ADMIN, teams: ['blue'] }, NotFound],
    ['an admin of another tenant', { ...ADMIN, tenant: 'other' as never }, NotFound],
  ])('is refused for %s', async (_, access, error) => {
    const world = await aWorld();
    await (await only(world)).start();
    const call = await only(world, access);
    await expect(call.start(50)).rejects.toBeInstanceOf(error);
    await expect(call.stop()).rejects.toBeInstanceOf(error);
    if (error === NotFound) await expect(call.get()).rejects.toBeInstanceOf(NotFound);
    expect(await endOf(world)).toBeUndefined();
  });
});

describe('a regression of a canary', () => {
  it('returns the callers with its evidence, once for all processes that compare', async () => {
    const world = await aWorld();
    const [call] = [await only(world), await comparing(world)];
    await call.start();
    await recorded(world, alternating(60, { empty: true }));
    const ended = await eventually('the canary has ended', () => endOf(world));
    expect(ended).toMatchObject({ reason: 'regression', evidence: { findings: [{ measure: 'empty', canary: 1, active: 0 }] } });
    expect(ended.evidence?.canary.queries).toBeLessThanOrEqual(200);
    expect((await call.get()).comparison).toBeUndefined();
    const ends: string[] = [];
    for await (const { event } of world.journal.readStream(scopeStream(SCOPE))) if (event.type === 'CanaryEnded') ends.push(event.type);
    expect(ends).toHaveLength(1);
  });

  it('is found after a restart as well, from the records since the start of the canary', async () => {
    const world = await aWorld();
    await recorded(world, alternating(100, { empty: true }));
    await (await only(world)).start();
    for (const comparison of open.splice(0)) await comparison.stop();
    await recorded(world, alternating(20, { empty: true }));
    const { get } = await only(world);
    expect((await get()).comparison).toMatchObject({ canary: { queries: 20 }, active: { queries: 40 } });
    await recorded(world, alternating(5, { empty: true }));
    expect(await eventually('the canary has ended', () => endOf(world))).toMatchObject({ evidence: { canary: { queries: 25 } } });
  });

  it('is not found where both sides are alike, or in the records of another tenant', async () => {
    const world = await aWorld();
    const call = await only(world);
    await call.start();
    await recorded(world, alternating(100, { empty: true }), 'other' as never);
    await recorded(world, alternating(100, {}));
    const both = await eventually('all queries are compared', async () => {
      const { comparison } = await call.get();
      return comparison?.canary.queries === 100 ? comparison : undefined;
    });
    expect(both).toMatchObject({ active: { queries: 200, empty: 0 }, findings: [] });
    expect(await endOf(world)).toBeUndefined();
  });

  it('is recorded once the log accepts it again', async () => {
    const world = await aWorld();
    const faults: unknown[] = [];
    const call = callOf(world, await comparing(world, (error) => faults.push(error)));
    for (const comparison of open.splice(0, open.length - 1)) await comparison.stop();
    await call.start();
    const append = world.log.append.bind(world.log);
    const isEnd = ([, events]: Parameters<typeof append>): boolean => events.some(({ type }) => type === 'CanaryEnded');
    world.log.append = (...given) => (isEnd(given) ? Promise.reject(new Error('the log is away')) : append(...given));
    await recorded(world, alternating(25, { empty: true }));
    await eventually('the append failed', async () => (faults.length > 0 ? true : undefined));
    world.log.append = append;
    await recorded(world, alternating(1, { empty: true }));
    expect(await eventually('the canary has ended', () => endOf(world))).toMatchObject({ reason: 'regression' });
  });
});
