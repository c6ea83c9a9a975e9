import type { Access } from '@palimpsest/knowledge/access';
import { DOCUMENT_RANGES } from '@palimpsest/knowledge/deciders';
import { Conflict, NotFound } from '@palimpsest/knowledge/errors';
import { UNLIMITED } from '@palimpsest/knowledge/limits';
import { ScopeKeyDestroyed } from '@palimpsest/knowledge/ports';
import { generationId, tenantId } from '@palimpsest/knowledge/values';
import { Buses } from '@palimpsest/runtime';
import { aFakeEmbeddingProvider } from '@palimpsest/test-kit';
import { ADMIN, HUGE, LARGE, MINI, SCOPE, World } from '../test/world.ts';
import { EvaluateSwap } from './evaluate-swap.ts';
import { EvaluateBuilt } from './evaluate-built.ts';
import { PauseSwaps } from './pause-swaps.ts';
import { CancelSwap, CutOverSwap, GetSwap, PauseSwap, ResumeSwap, RetireSwap, RollBackSwap, StartSwap } from './swap-scope.ts';

const { scope } = SCOPE;
const G2 = generationId('g2');

type Provider = Parameters<typeof aFakeEmbeddingProvider>[0];

const aWorld = async (huge: Provider = {}) => {
  const world = await new World(
    aFakeEmbeddingProvider({ version: MINI }),
    aFakeEmbeddingProvider({ version: LARGE }),
    aFakeEmbeddingProvider({ ...huge, version: HUGE }),
  ).begin();
  await world.indexed('a', ['apple', 'berry']);
  await world.indexed('b', ['cedar']);
  await world.project();
  return world;
};
const callOf = (world: World, access: Access = ADMIN) => {
  const buses = new Buses([...world.swaps.handlers, ...world.evaluations.handlers], UNLIMITED);
  const caller = { access, correlationId: 'request-1' };
  return {
    start: ({ embeddingVersion = HUGE } = {}) => buses.execute(new StartSwap(caller, { scope, embeddingVersion, cutover: 'manual' })),
    get: () => buses.execute(new GetSwap(caller, { scope })),
    pause: () => buses.execute(new PauseSwap(caller, { scope })),
    resume: () => buses.execute(new ResumeSwap(caller, { scope })),
    cutOver: () => buses.execute(new CutOverSwap(caller, { scope })),
    rollBack: () => buses.execute(new RollBackSwap(caller, { scope })),
    cancel: () => buses.execute(new CancelSwap(caller, { scope })),
    retire: () => buses.execute(new RetireSwap(caller, { scope })),
    evaluate: () => buses.execute(new EvaluateSwap(caller, { scope })),
  };
};
const allRanges = async (world: World): Promise<void> => {
  for (let range = 0; range < DOCUMENT_RANGES; range++) await world.build.range(world.run(), G2, range);
};
/** One of two calls at the same time is done, and the other one refused with a conflict. */
const expectOneOfTwo = async (...calls: readonly [Promise<unknown>, Promise<unknown>]): Promise<void> => {
  const ended = await Promise.allSettled(calls);
  expect(ended.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  for (const one of ended) if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(Conflict);
};

describe('two operators at the same time', () => {
  it('start one swap if they want the same, and otherwise that of the first', async () => {
    const call = callOf(await aWorld());
    await Promise.all([call.start(), call.start()]);
    await expect(call.start({ embeddingVersion: LARGE })).rejects.toThrow(Conflict);
    expect((await call.get()).generations.map(({ id }) => id)).toEqual(['g1', 'g2']);
    const other = callOf(await aWorld());
    await expectOneOfTwo(other.start(), other.start({ embeddingVersion: LARGE }));
    expect((await other.get()).generations.map(({ id }) => id)).toEqual(['g1', 'g2']);
  });

  it('cut over and cancel: whichever comes first holds', async () => {
    const world = await aWorld();
    const call = callOf(world);
    await call.start();
    await allRanges(world);
    await expectOneOfTwo(call.cutOver(), call.cancel());
    const { state, generations } = await call.get();
    expect(state).toBe('idle');
    expect(generations.filter(({ status }) => status === 'active')).toHaveLength(1);
    expect(generations.map(({ status }) => status)).not.toContain('ready');
  });

  it('roll back and retire: the generation that answers searches is never retired', async () => {
    const world = await aWorld();
    const call = callOf(world);
    await call.start();
    await allRanges(world);
    await call.cutOver();
    await Promise.allSettled([call.rollBack(), call.retire()]);
    const { generations } = await call.get();
    expect(generations.filter(({ status }) => status === 'active')).toHaveLength(1);
  });
});

describe('a swap', () => {
  it('cannot be rolled back once the previous generation is retired', async () => {
    const world = await aWorld();
    const call = callOf(world);
    await call.start();
    await allRanges(world);
    await call.cutOver();
    await call.retire();
    await expect(call.rollBack()).rejects.toThrow(Conflict);
    expect((await call.get()).generations.find(({ status }) => status === 'active')?.id).toBe(G2);
  });

  it('cannot be evaluated while it is paused, with the reason, and can be once it is built', async () => {
    const world = await aWorld();
    const call = callOf(world);
    await call.start();
    await call.pause();
    await expect(call.evaluate()).rejects.toThrow(/is not built yet/);
    await call.resume();
    await allRanges(world);
    await world.project();
    expect(await call.evaluate()).toMatchObject({ evaluation: { generation: G2, against: 'g1' } });
  });

  it('has nothing of a document that is deleted while the model has its texts', async () => {
    const world = await aWorld({
      beforeAnswer: async ({ texts }) => {
        if (texts.includes('cedar')) await world.deleted('b');
      },
    });
    const call = callOf(world);
    await call.start();
    await allRanges(world);
    await world.project();
    expect(await call.get()).toMatchObject({ state: 'ready', swap: { built: { chunks: 2, withoutVector: 0 } } });
  });

  it('is built with the last version of a document that changes while the model has its texts', async () => {
    let changed = false;
    const world = await aWorld({
      beforeAnswer: async ({ texts }) => {
        if (changed || !texts.includes('cedar')) return;
        changed = true;
        await world.indexed('b', ['cedar', 'daisy']);
        await world.project();
      },
    });
    const call = callOf(world);
    await call.start();
    await allRanges(world);
    expect(await world.models('b', 'cedar', 'daisy')).toEqual([
      [MINI, HUGE],
      [MINI, HUGE],
    ]);
    expect(await call.get()).toMatchObject({ state: 'ready', swap: { built: { chunks: 4 } } });
  });

  it('of a scope that is erased meanwhile is paused with the reason, and can be cancelled', async () => {
    const world = await aWorld();
    const call = callOf(world);
    await call.start();
    await world.keys.destroy(SCOPE);
    await expect(allRanges(world)).rejects.toThrow(ScopeKeyDestroyed);
    const swaps = new PauseSwaps(world.journal, new EvaluateBuilt(world.evaluation, world.runs), world.now);
    expect(await swaps.byPlatform(world.run(), 'the scope was erased: cancel the swap', G2)).toBe(true);
    expect((await call.get()).swap?.paused?.reason).toBe('the scope was erased: cancel the swap');
    expect(await call.cancel()).toMatchObject({ state: 'idle' });
  });

  it('shows a rate and a remaining time that make sense after the clock jumped', async () => {
    const world = await aWorld();
    const call = callOf(world);
    await call.start();
    await world.build.range(world.run(), G2, 0);
    world.jump(-365 * 24 * 60);
    await call.pause();
    await call.resume();
    for (let range = 1; range < DOCUMENT_RANGES - 1; range++) await world.build.range(world.run(), G2, range);
    const { swap } = await call.get();
    for (const figure of [swap?.chunksPerSecond ?? 0, swap?.remainingSeconds ?? 0]) {
      expect(Number.isFinite(figure)).toBe(true);
      expect(figure).toBeGreaterThanOrEqual(0);
    }
    await allRanges(world);
    expect((await call.get()).state).toBe('ready');
  });

  it('is unknown to an operator of another tenant', async () => {
    const world = await aWorld();
    await callOf(world).start();
    const other = callOf(world, { ...ADMIN, tenant: tenantId('other'), roles: ['operator', 'admin'] });
    for (const call of [other.get, other.pause, other.cutOver, other.rollBack, other.cancel, other.retire, other.evaluate])
      await expect(call()).rejects.toThrow(NotFound);
    expect((await callOf(world).get()).state).toBe('building');
  });
});
