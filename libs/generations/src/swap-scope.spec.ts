import { jest } from '@jest/globals';
import type { Access } from '@palimpsest/knowledge/access';
import { Conflict, EmbeddingModelMismatch, Forbidden, InvalidValue, NotFound } from '@palimpsest/knowledge/errors';
import { UNLIMITED } from '@palimpsest/knowledge/limits';
import { DOCUMENT_RANGES } from '@palimpsest/knowledge/deciders';
import { embeddingVersion, generationId } from '@palimpsest/knowledge/values';
import { Buses } from '@palimpsest/runtime';
import { aFakeEmbeddingProvider } from '@palimpsest/test-kit';
import { ADMIN, HUGE, LARGE, MINI, SCOPE, World } from '../test/world.ts';
import { EvaluateBuilt } from './evaluate-built.ts';
import { PauseSwaps } from './pause-swaps.ts';
import { CancelSwap, CutOverSwap, GetSwap, ListSwaps, PauseSwap, ResumeSwap, RetireSwap, RollBackSwap, StartSwap } from './swap-scope.ts';

const { scope } = SCOPE;
const aWorld = async (large = aFakeEmbeddingProvider({ version: LARGE })) => {
  const world = await new World(large, aFakeEmbeddingProvider({ version: MINI }), aFakeEmbeddingProvider({ version: HUGE })).begin();
  await world.indexed('a', ['apple', 'berry']);
  await world.indexed('b', ['cedar']);
  return world;
};
const G2 = generationId('g2');
const callOf = (world: World, access: Access = ADMIN) => {
  const buses = new Buses(world.swaps.handlers, UNLIMITED);
  const caller = { access, correlationId: 'request-1' };
  return {
    start: (target: Readonly<{ embeddingVersion?: string; cutover?: 'manual' | 'companion' }> = {}) =>
      buses.execute(new StartSwap(caller, { scope, ...target })),
    get: () => buses.execute(new GetSwap(caller, { scope })),
    list: () => buses.execute(new ListSwaps(caller, {})),
    pause: (reason?: string) => buses.execute(new PauseSwap(caller, { scope, ...(reason === undefined ? {} : { reason }) })),
    resume: () => buses.execute(new ResumeSwap(caller, { scope })),
    cutOver: () => buses.execute(new CutOverSwap(caller, { scope })),
    rollBack: () => buses.execute(new RollBackSwap(caller, { scope })),
    cancel: () => buses.execute(new CancelSwap(caller, { scope })),
    retire: (generation?: ReturnType<typeof generationId>) =>
      buses.execute(new RetireSwap(caller, { scope, ...(generation === undefined ? {} : { generation }) })),
  };
};
const allRanges = async (world: World): Promise<void> => {
  for (let range = 0; range < DOCUMENT_RANGES; range++) await world.build.range(world.run(), G2, range);
};

describe('a swap', () => {
  it('shows what its tokens have cost, if its model has a price', async () => {
    const world = await aWorld();
    const call = callOf(world);
    await call.start({ embeddingVersion: HUGE, cutover: 'manual' });
    await allRanges(world);
    expect((await call.get()).swap).not.toHaveProperty('cost');
    world.described = { pricePerMillionTokens: 20 };
    const { tokens = 0, cost } = (await call.get()).swap ?? {};
    expect(tokens).toBeGreaterThan(0);
    expect(cost).toBeCloseTo(tokens * 0.00002, 12);
  });

  it('of many chunks has more ranges, which its progress shows, and together they are the whole scope', async () => {
    const world = await aWorld();
    const call = callOf(world);
    const countsIn = world.catalog.countsIn.bind(world.catalog);
    jest.spyOn(world.catalog, 'countsIn').mockImplementationOnce(async (scopes) => ({ ...(await countsIn(scopes)), chunks: 20_000 }));
    await call.start({ embeddingVersion: HUGE, cutover: 'manual' });
    for (let range = 0; range < 64; range++) {
      expect((await call.get()).swap?.ranges).toEqual({ done: range, total: 64 });
      await world.build.range(world.run(), G2, range);
    }
    expect(await call.get()).toMatchObject({ state: 'ready', swap: { ranges: { done: 64 }, chunks: 3, built: { chunks: 3 } } });
  });

  it('answers a cut-over and a rollback when the read models of this process have followed', async () => {
    const world = await aWorld();
    const call = callOf(world);
    await call.start({ embeddingVersion: HUGE, cutover: 'manual' });
    await allRanges(world);
    for (const exchange of [call.cutOver, call.rollBack]) {
      world.behind = true;
      const waited = world.waited(world.waits + 3);
      let hasAnswered = false;
      const answer = exchange().finally(() => (hasAnswered = true));
      await waited;
      expect(hasAnswered).toBe(false);
      world.behind = false;
      await answer;
      const position = await world.catalog.position();
      expect((await answer).position).toBeLessThanOrEqual(position);
    }
  });

  it('is built range by range, waits for a person, and can be rolled back until the old generation is retired', async () => {
    const world = await aWorld();
    const call = callOf(world);
    expect(await call.start({ embeddingVersion: HUGE, cutover: 'manual' })).toMatchObject({
      state: 'building',
      swap: { cutover: 'manual', ranges: { done: 0, total: 16 }, generation: { id: 'g2', embeddingVersion: HUGE } },
    });
    await expect(call.cutOver()).rejects.toThrow(/16 of 16 ranges .* not embedded yet/);
    await allRanges(world);
    expect(await call.get()).toMatchObject({
      state: 'ready',
      swap: { ranges: { done: 16 }, chunks: 3, total: 3, tokens: expect.any(Number), built: { chunks: 3, withoutVector: 0 } },
    });
    expect(await world.active()).toBe(MINI);
    expect(await call.cutOver()).toMatchObject({ state: 'idle', generations: [{ status: 'standby' }, { status: 'active' }] });
    expect(await call.rollBack()).toMatchObject({ generations: [{ status: 'active' }, { status: 'standby' }] });
    expect(await call.cutOver()).toMatchObject({ generations: [{ status: 'standby' }, { status: 'active' }] });
    await world.project();
    expect(await call.list()).toHaveLength(1);
    expect(await call.retire()).toMatchObject({ generations: [{ status: 'retired' }, { status: 'active' }] });
    await expect(call.rollBack()).rejects.toThrow(/is retired .* start a swap/);
    await expect(call.retire()).rejects.toThrow(/no generation in standby/);
  });

  it('cuts over automatically unless a person is to do it', async () => {
    const world = await aWorld();
    await callOf(world).start();
    await allRanges(world);
    expect(await world.active()).toBe(LARGE);
  });

  it('stops at a pause, continues with the resumption, and embeds nothing twice', async () => {
    const call: { pause?: () => Promise<unknown> } = {};
    const large = aFakeEmbeddingProvider({
      version: LARGE,
      beforeAnswer: async () => {
        await call.pause?.();
        delete call.pause;
      },
    });
    const world = await aWorld(large);
    const swap = callOf(world);
    await swap.start();
    call.pause = () => swap.pause('maintenance');
    await allRanges(world);
    expect(await swap.get()).toMatchObject({
      state: 'paused',
      swap: { ranges: { done: 1 }, paused: { reason: 'maintenance', by: 'person' } },
    });
    expect(large.calls).toHaveLength(1);
    await world.work();
    expect(large.calls).toHaveLength(1);
    await swap.resume();
    await allRanges(world);
    expect(await world.active()).toBe(LARGE);
    expect([...large.calls.flatMap(({ texts }) => texts)].sort()).toEqual(['apple', 'berry', 'cedar']);
  });

  it('stops between two batches of a long document', async () => {
    const texts = Array.from({ length: 80 }, (_, i) => `text ${i}`);
    let pause: (() => Promise<unknown>) | undefined;
    const large = aFakeEmbeddingProvider({ version: LARGE, beforeAnswer: async () => void (await pause?.()) });
    const world = await aWorld(large);
    await world.deleted('a');
    await world.deleted('b');
    await world.indexed('long', texts);
    const swap = callOf(world);
    await swap.start();
    pause = () => swap.pause();
    await allRanges(world);
    expect(large.calls.flatMap((one) => one.texts).length).toBeLessThanOrEqual(64);
    pause = undefined;
    await swap.resume();
    await allRanges(world);
    expect(new Set(large.calls.flatMap((one) => one.texts)).size).toBe(80);
    expect(large.calls.flatMap((one) => one.texts)).toHaveLength(80);
  });

  it('is cancelled while it is worked on: the work ends, and the scope can be moved again', async () => {
    let cancel: (() => Promise<unknown>) | undefined;
    const large = aFakeEmbeddingProvider({ version: LARGE, beforeAnswer: async () => void (await cancel?.()) });
    const world = await aWorld(large);
    const swap = callOf(world);
    await swap.start();
    cancel = async () => {
      cancel = undefined;
      await swap.cancel();
    };
    await allRanges(world);
    expect(await world.active()).toBe(MINI);
    expect(await swap.get()).toMatchObject({ state: 'idle', generations: [{ status: 'active' }, { status: 'retired' }] });
    expect(await swap.start()).toMatchObject({ state: 'building', swap: { generation: { id: 'g3' } } });
  });

  it('handles documents that change and vanish meanwhile', async () => {
    const world = await aWorld();
    await callOf(world).start({ cutover: 'manual' });
    await world.build.range(world.run(), G2, 0);
    await world.deleted('a');
    await world.indexed('b', ['dune']);
    await allRanges(world);
    expect(await world.models('b', 'dune')).toEqual([[MINI, LARGE]]);
    expect((await callOf(world).get()).swap?.built).toMatchObject({ chunks: 1 });
  });

  it('continues a message of an earlier version, which stands for the whole scope', async () => {
    const world = await aWorld();
    await callOf(world).start();
    await world.build.range(world.run(), G2, 3);
    await world.work();
    expect(await world.active()).toBe(LARGE);
    expect((await callOf(world).get()).swap?.ranges).toEqual({ done: 16, total: 16 });
  });

  it('completes when two processes work on all ranges at once', async () => {
    const world = await aWorld();
    await callOf(world).start();
    await Promise.all([allRanges(world), allRanges(world)]);
    expect(await world.active()).toBe(LARGE);
    const types: string[] = [];
    for await (const { event } of world.journal.readAll()) types.push(event.type);
    const of = (type: string): number => types.filter((one) => one === type).length;
    expect([of('GenerationRangeEmbedded'), of('GenerationBuilt'), of('KnowledgeChunkReembedded')]).toEqual([16, 1, 3]);
  });

  it('records no vector and no rejected chunk if the model returns other dimensions halfway', async () => {
    const failing = aFakeEmbeddingProvider({
      version: LARGE,
      beforeAnswer: ({ texts }) => {
        if (texts.includes('cedar')) throw new EmbeddingModelMismatch(LARGE, ['fake:large/8']);
      },
    });
    const world = await aWorld(failing);
    await callOf(world).start();
    await expect(world.build.range(world.run(), G2, 0)).rejects.toThrow(EmbeddingModelMismatch);
    expect(await world.models('b', 'cedar')).toEqual([[MINI]]);
    for await (const { event } of world.journal.readAll()) expect(event.type).not.toBe('KnowledgeChunkReembedFailed');
  });

  it('is paused by the platform with its reason, once', async () => {
    const world = await aWorld();
    await callOf(world).start();
    const swaps = new PauseSwaps(world.journal, new EvaluateBuilt(world.evaluation, world.runs), world.now);
    expect(await swaps.byPlatform(world.run(), 'the model is gone', G2)).toBe(true);
    expect(await swaps.byPlatform(world.run(), 'again', G2)).toBe(true);
    expect((await callOf(world).get()).swap?.paused).toMatchObject({ reason: 'the model is gone', by: 'platform' });
    await callOf(world).cancel();
    expect(await swaps.byPlatform(world.run(), 'again', G2)).toBe(false);
  });
});

describe('the commands of a swap', () => {
  it('name the models that a swap can use', async () => {
    const world = await aWorld();
    await expect(callOf(world).start({ embeddingVersion: embeddingVersion('fake:other/8') })).rejects.toThrow(
      'embeddingVersion: expected a configured model: fake:large/16, fake:mini/8, fake:huge/32, got "fake:other/8"',
    );
    await expect(callOf(world).start({ embeddingVersion: 'nonsense' })).rejects.toThrow(InvalidValue);
  });

  it('are refused in the wrong state, and for the second of two operators', async () => {
    const world = await aWorld();
    const call = callOf(world);
    for (const refused of [call.pause, call.resume, call.cutOver, call.rollBack, call.cancel, call.retire])
      await expect(refused()).rejects.toThrow(Conflict);
    await call.start({ cutover: 'manual' });
    await expect(call.start({ embeddingVersion: HUGE })).rejects.toThrow(/already being built/);
    await allRanges(world);
    const both = await Promise.allSettled([call.cancel(), call.cancel()]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('keep a companion alongside, which gets new documents, never answers, and frees its index when it is retired', async () => {
    const world = await aWorld();
    const call = callOf(world);
    await call.start({ embeddingVersion: HUGE, cutover: 'companion' });
    await allRanges(world);
    expect(await call.get()).toMatchObject({
      state: 'idle',
      generations: [{ status: 'active' }, { status: 'companion' }],
      swap: { cutover: 'companion' },
    });
    expect(await world.active()).toBe(MINI);
    await expect(call.cutOver()).rejects.toThrow(/no generation to cut over to/);
    await call.start({ cutover: 'manual' });
    await world.work();
    await call.cutOver();
    await world.project();
    expect(await call.list()).toMatchObject([{ generations: [{ status: 'standby' }, { status: 'companion' }, { status: 'active' }] }]);
    // Without a name, what is in standby goes first.
    expect(await call.retire()).toMatchObject({ generations: [{ status: 'retired' }, { status: 'companion' }, { status: 'active' }] });
    expect(await call.retire()).toMatchObject({ generations: [{ status: 'retired' }, { status: 'retired' }, { status: 'active' }] });
    await expect(call.retire()).rejects.toThrow(/no generation in standby and no companion/);
  });

  it('ask which generation is retired if several are in standby', async () => {
    const world = await aWorld();
    const call = callOf(world);
    await call.start();
    await allRanges(world);
    await call.start({ embeddingVersion: HUGE });
    await world.work();
    await expect(call.retire()).rejects.toThrow('generation: expected one of g1, g2');
    expect(await call.retire(generationId('g1'))).toMatchObject({
      generations: [{ status: 'retired' }, { status: 'standby' }, { status: 'active' }],
    });
  });

  it.each<[string, Access, new (...args: never[]) => Error]>([
    ['a writer', { ...ADMIN, roles: ['writer'] }, Forbidden],
    ['an admin who may not read the scope', { ...ADMIN, teams: ['blue'] }, NotFound],
    ['an admin of another tenant', { ...ADMIN, tenant: 'other' as never }, NotFound],
  ])('are refused for %s', async (_, access, error) => {
    const world = await aWorld();
    await callOf(world).start();
    const { list, get, ...commands } = callOf(world, access);
    for (const refused of Object.values(commands)) await expect(refused()).rejects.toBeInstanceOf(error);
    if (error === NotFound) {
      await expect(get()).rejects.toBeInstanceOf(NotFound);
      expect(await list()).toEqual([]);
    }
  });
});
