import { SYSTEM } from '@palimpsest/foundation';
import { DOCUMENT_RANGES } from '@palimpsest/knowledge/deciders';
import { generationId, recipeWith, type Position } from '@palimpsest/knowledge/values';
import { aFakeEmbeddingProvider, aRegisteredModel } from '@palimpsest/test-kit';
import { FLEET_ACTOR } from './fleet/scope-progress.ts';
import { HUGE, MINI, World } from '../test/world.ts';
import { FollowSwapFigures } from './swap-figures.ts';

const G2 = generationId('g2');
const start = (world: World) => world.scope({ type: 'StartGeneration', recipe: recipeWith({ version: HUGE }), cutover: 'manual' });
const record = (world: World, range: number) =>
  world.scope({ type: 'RecordRange', generation: G2, range, counts: { chunks: 10, withoutVector: 1, tokens: 500_000 } });

/** Where the oldest swap of the latest figures begins. */
let since: Position | undefined;

const figuresOf = async (world: World, now = world.now()) => {
  const reader = new FollowSwapFigures({
    journal: world.journal,
    providers: { models: () => [{ ...aRegisteredModel(HUGE), pricePerMillionTokens: 2 }] },
    system: { scheduler: SYSTEM.scheduler, clock: { ...SYSTEM.clock, now: () => Date.parse(now) } },
    onFault: (error) => {
      throw error;
    },
  });
  await reader.start();
  const figures = reader.figures();
  since = reader.buildingSince();
  await reader.stop();
  return figures;
};
const aWorld = () => new World(aFakeEmbeddingProvider({ version: MINI }), aFakeEmbeddingProvider({ version: HUGE })).begin();

describe('the figures of swaps', () => {
  it('are zero without a swap: the first generation of a scope is none', async () =>
    expect(await figuresOf(await aWorld())).toEqual({
      states: { building: 0, paused: 0, failed: 0, ready: 0 },
      ranges: { done: 0, open: 0 },
      ...{ chunks: 0, rejected: 0, tokens: 0, cost: 0, failures: 0, stalledSeconds: 0 },
      evaluations: { 'not-worse': 0, worse: 0, undecided: 0 },
    }));

  it('count ranges, chunks, rejected chunks, tokens and their price', async () => {
    const world = await aWorld();
    expect([await figuresOf(world), since]).toEqual([expect.anything(), undefined]);
    await start(world);
    const began = await world.log.head();
    await record(world, 0);
    await record(world, 7);
    expect(await figuresOf(world)).toMatchObject({
      ...{ states: { building: 1 }, ranges: { done: 2, open: DOCUMENT_RANGES - 2 } },
      ...{ chunks: 20, rejected: 2, tokens: 1_000_000, cost: 2 },
    });
    expect(since).toBe(began);
  });

  it('are complete once a companion is built: it waits for no cut-over', async () => {
    const world = await aWorld();
    await world.scope({ type: 'StartGeneration', recipe: recipeWith({ version: HUGE }), cutover: 'companion' });
    for (let range = 0; range < DOCUMENT_RANGES; range++) await record(world, range);
    expect(await figuresOf(world)).toMatchObject({ states: { building: 1, ready: 0 } });
    await world.scope({ type: 'RecordBuilt', generation: G2, counts: { chunks: 160, withoutVector: 16, upTo: '1' } });
    expect([await figuresOf(world), since]).toMatchObject([{ states: { building: 0, ready: 0 }, chunks: 160 }, undefined]);
  });

  it('know when a swap last moved, and stop counting while it is paused', async () => {
    const world = await aWorld();
    await start(world);
    const moved = world.now();
    await record(world, 0);
    const later = (minutes: number) => new Date(Date.parse(moved) + minutes * 60_000).toISOString();
    // Each event takes a minute in this world.
    expect((await figuresOf(world, later(31))).stalledSeconds).toBe(1_800);
    await world.scope({ type: 'Pause', reason: 'later', by: 'person' });
    expect(await figuresOf(world, later(90))).toMatchObject({ states: { paused: 1, building: 0 }, failures: 0, stalledSeconds: 0 });
    await world.scope({ type: 'Resume' });
    expect(await figuresOf(world)).toMatchObject({ states: { paused: 0, building: 1 }, failures: 0 });
  });

  it('tell a model that failed from a fleet that was paused', async () => {
    const world = await aWorld();
    await start(world);
    await world.scope({ type: 'Pause', reason: 'the model is away', by: 'platform' });
    expect(await figuresOf(world)).toMatchObject({ states: { paused: 0, failed: 1 }, failures: 1, stalledSeconds: 0 });
    await world.scope({ type: 'Resume' });
    await world.scope({ type: 'Pause', reason: 'fleet f1 is paused', by: 'platform' }, FLEET_ACTOR);
    expect(await figuresOf(world)).toMatchObject({ states: { paused: 1, failed: 0 }, failures: 1 });
  });

  it('keep the counters of swaps that ended', async () => {
    const world = await aWorld();
    await start(world);
    for (let range = 0; range < DOCUMENT_RANGES; range++) await record(world, range);
    await world.scope({ type: 'RecordBuilt', generation: G2, counts: { chunks: 160, withoutVector: 16, upTo: '9' } });
    expect(await figuresOf(world)).toMatchObject({ states: { ready: 1 }, ranges: { done: 0, open: 0 }, chunks: 160 });
    expect(since).toBeUndefined();
    await world.scope({ type: 'CutOver' });
    expect(await figuresOf(world)).toMatchObject({ states: { building: 0, paused: 0, failed: 0, ready: 0 }, chunks: 160, rejected: 16 });
  });
});
