import { DOCUMENT_RANGES } from '@palimpsest/knowledge/deciders';
import { Conflict, InvalidValue } from '@palimpsest/knowledge/errors';
import { UNLIMITED } from '@palimpsest/knowledge/limits';
import { authorise } from '@palimpsest/knowledge/access';
import { chunkListOf, DEFAULT_CHUNK_LIST, generationId } from '@palimpsest/knowledge/values';
import { Buses } from '@palimpsest/runtime';
import { aFakeEmbeddingProvider } from '@palimpsest/test-kit';
import { ADMIN, LARGE, MINI, SCOPE, theChunk, theDocument, World } from '../test/world.ts';
import { PlanSwap, type PlanOptions } from './plan/plan-swap.ts';
import { CancelSwap, CutOverSwap, GetSwap, RetireSwap, RollBackSwap, StartSwap } from './swap-scope.ts';
import type { SwapTarget } from './start-swap.ts';

const { scope } = SCOPE;
const SMALL = { markdown: { maxChars: 200 } };
const LIST = chunkListOf({ settings: SMALL, contextual: 'none' });
const G2 = generationId('g2');

const aWorld = async () => {
  const world = await new World(aFakeEmbeddingProvider({ version: LARGE }), aFakeEmbeddingProvider({ version: MINI })).begin();
  await world.indexed('a', ['apple berry']);
  await world.indexed('b', ['cedar']);
  world.rechunks({ a: ['apple', 'berry'], b: ['cedar'], c: ['dune', 'ember'] });
  return world;
};
const callOf = (world: World) => {
  const buses = new Buses([...world.swaps.handlers, ...world.plans.handlers], UNLIMITED);
  const caller = { access: ADMIN, correlationId: 'request-1' };
  return {
    start: (target: SwapTarget = {}) => buses.execute(new StartSwap(caller, { scope, ...target })),
    plan: (options: PlanOptions) => buses.execute(new PlanSwap(caller, { scope, ...options })),
    get: () => buses.execute(new GetSwap(caller, { scope })),
    cutOver: () => buses.execute(new CutOverSwap(caller, { scope })),
    rollBack: () => buses.execute(new RollBackSwap(caller, { scope })),
    cancel: () => buses.execute(new CancelSwap(caller, { scope })),
    retire: () => buses.execute(new RetireSwap(caller, { scope })),
  };
};
const allRanges = async (world: World): Promise<void> => {
  for (let range = 0; range < DOCUMENT_RANGES; range++) await world.build.range(world.run(), G2, range);
};
/** The chunks of the scope in each list, as the catalog has them. */
const listed = async (world: World, list = LIST): Promise<readonly string[]> => {
  await world.project();
  const ids: string[] = [];
  for await (const { chunkId } of world.catalog.contentHashes(SCOPE, list)) ids.push(chunkId);
  return ids.sort();
};
const idsOf = (texts: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(texts)
    .flatMap(([name, all]) => all.map((text) => theChunk(name, text)))
    .sort();

describe('a swap to another chunking', () => {
  it('keeps the model of the scope, and is named in every answer', async () => {
    const call = callOf(await aWorld());
    const status = await call.start({ chunking: SMALL, cutover: 'manual' });
    expect(status.generations.at(-1)).toMatchObject({
      embeddingVersion: MINI,
      recipe: { chunking: { settings: SMALL, contextual: 'none' } },
    });
    expect((await call.start({ chunking: SMALL, cutover: 'manual' })).generations).toHaveLength(2);
    await expect(call.start({ chunking: 'knowledge-base' })).rejects.toThrow(
      'generation g2 (fake:mini/8 with the chunking {"markdown":{"maxChars":200}}, manual cut-over) of scope "team:red" is already being built',
    );
    await call.cancel();
    expect((await call.start({ chunking: 'knowledge-base' })).state).toBe('idle');
    expect((await call.start({ chunking: SMALL, embeddingVersion: LARGE })).generations.at(-1)).toMatchObject({ embeddingVersion: LARGE });
  });

  it('refuses an analyser and a contextual variant that do not exist, and says which do', async () => {
    const call = callOf(await aWorld());
    for (const ask of [call.start, call.plan]) {
      await expect(ask({ analyser: 'other' })).rejects.toThrow(InvalidValue);
      await expect(ask({ analyser: 'other' })).rejects.toThrow(/analyser: expected .* this build has: unknown, got "other"/);
      await expect(ask({ contextual: 'summary' })).rejects.toThrow(/contextual: expected .* this build has: none, got "summary"/);
    }
    expect((await call.start({ analyser: 'unknown', contextual: 'none', embeddingVersion: MINI })).state).toBe('idle');
  });

  it('gives every document its list, alongside the first one, until it is cut over, rolled back and retired', async () => {
    const world = await aWorld();
    const call = callOf(world);
    await call.start({ chunking: SMALL, cutover: 'manual' });
    await allRanges(world);
    expect(world.rechunked.toSorted()).toEqual(['a', 'b']);
    expect(await call.get()).toMatchObject({
      state: 'ready',
      swap: { chunks: 3, total: 3, withoutVector: 0, tokens: 3, built: { chunks: 3 } },
    });
    const lists = { before: idsOf({ a: ['apple berry'], b: ['cedar'] }), after: idsOf({ a: ['apple', 'berry'], b: ['cedar'] }) };
    expect([await listed(world, DEFAULT_CHUNK_LIST), await listed(world)]).toEqual([lists.before, lists.after]);
    const shown = async () => {
      await world.project();
      const [permitted] = authorise(ADMIN, [scope]);
      return permitted && (await world.catalog.document([permitted], theDocument('a')))?.chunks;
    };
    expect(await shown()).toBe(1);
    await call.cutOver();
    expect(await shown()).toBe(2);
    await call.rollBack();
    expect(await shown()).toBe(1);
    await call.cutOver();
    await call.retire();
    expect([await shown(), await listed(world, DEFAULT_CHUNK_LIST)]).toEqual([2, []]);
    await expect(call.rollBack()).rejects.toThrow(Conflict);
  });

  it('computes the vectors of chunks that both lists share, if the model changes, too', async () => {
    const world = await aWorld();
    await callOf(world).start({ chunking: SMALL, embeddingVersion: LARGE, cutover: 'manual' });
    await allRanges(world);
    expect(await world.models('b', 'cedar')).toEqual([[MINI, LARGE]]);
    expect(await world.models('a', 'apple', 'berry', 'apple berry')).toEqual([[LARGE], [LARGE], [MINI]]);
  });

  it('finds a document that the last pass does not see yet, and one whose vectors are asked for', async () => {
    const world = await aWorld();
    const call = callOf(world);
    await call.start({ chunking: SMALL, cutover: 'manual' });
    for (let range = 0; range < DOCUMENT_RANGES - 1; range++) await world.build.range(world.run(), G2, range);
    await world.indexed('c', ['dune ember']);
    await world.build.range(world.run(), G2, DOCUMENT_RANGES - 1);
    expect((await call.get()).state).toBe('ready');
    expect(await listed(world)).toEqual(idsOf({ a: ['apple', 'berry'], b: ['cedar'], c: ['dune', 'ember'] }));
    await world.indexed('c', ['dune ember fjord']);
    await world.build.document(world.run(), theDocument('c'));
    expect(world.rechunked.filter((name) => name === 'c')).toHaveLength(2);
    await world.build.document(world.run(), theDocument('c'));
    expect(world.rechunked.filter((name) => name === 'c')).toHaveLength(2);
  });

  it('makes a list again whose last generation was retired, since the read models no longer have it', async () => {
    const world = await aWorld();
    const call = callOf(world);
    await call.start({ chunking: SMALL, cutover: 'manual' });
    await allRanges(world);
    await call.cancel();
    expect(await listed(world)).toEqual([]);
    await call.start({ chunking: SMALL, cutover: 'manual' });
    for (let range = 0; range < DOCUMENT_RANGES; range++) await world.build.range(world.run(), generationId('g3'), range);
    expect(world.rechunked.toSorted()).toEqual(['a', 'a', 'b', 'b']);
    expect(await listed(world)).toEqual(idsOf({ a: ['apple', 'berry'], b: ['cedar'] }));
  });

  it('stops at a pause', async () => {
    const world = await aWorld();
    const call = callOf(world);
    await call.start({ chunking: SMALL, cutover: 'manual' });
    const { run } = world.rechunk;
    world.rechunk = {
      ...world.rechunk,
      run: async (work) => (await world.scope({ type: 'Pause', reason: 'maintenance', by: 'person' }), run(work)),
    };
    await allRanges(world);
    expect((await call.get()).state).toBe('paused');
    expect(world.rechunked.length).toBeLessThan(2);
  });

  it('is planned by chunking the documents again, and started by its plan', async () => {
    const world = await aWorld();
    await world.project();
    const call = callOf(world);
    const { plan } = await call.plan({ chunking: SMALL, cutover: 'manual', sample: 0 });
    // "cedar" stays as it is, and so does its vector.
    expect(plan).toMatchObject({
      ...{ recipe: { chunking: { settings: SMALL } }, documents: 2, chunks: 3, reusable: { chunks: 1, exact: true } },
      rechunked: { present: 2, read: 2, kept: 0, exact: true },
      tokens: { method: 'counted', read: 3 },
    });
    expect(plan.tokens.embedded).toBeLessThan(plan.tokens.texts);
    const buses = new Buses(world.swaps.handlers, UNLIMITED);
    const started = await buses.execute(new StartSwap({ access: ADMIN, correlationId: 'request-1' }, { scope, plan: plan.plan }));
    expect(started.generations.at(-1)).toMatchObject({ embeddingVersion: MINI, recipe: { chunking: { settings: SMALL } } });
  });
});
