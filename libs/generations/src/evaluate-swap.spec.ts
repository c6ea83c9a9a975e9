import { SYSTEM } from '@palimpsest/foundation';
import type { Access } from '@palimpsest/knowledge/access';
import { DOCUMENT_RANGES } from '@palimpsest/knowledge/deciders';
import { Conflict, Forbidden, NotFound, Unavailable } from '@palimpsest/knowledge/errors';
import { UNLIMITED } from '@palimpsest/knowledge/limits';
import type { Cutover } from '@palimpsest/knowledge/events';
import type { EmbeddingProvider } from '@palimpsest/knowledge/ports';
import { generationId, recipeWith } from '@palimpsest/knowledge/values';
import { Buses } from '@palimpsest/runtime';
import { aFakeEmbeddingProvider } from '@palimpsest/test-kit';
import { ADMIN, HUGE, MINI, SCOPE, theChunk, theDocument, World } from '../test/world.ts';
import { EvaluateBuilt } from './evaluate-built.ts';
import { EvaluateSwap, GetSwapEvaluation, StartEvaluation } from './evaluate-swap.ts';
import type { EvaluationOptions } from './evaluation/evaluate-generation.ts';
import { EvaluationRuns } from './evaluation/evaluation-runs.ts';
import { PauseSwaps } from './pause-swaps.ts';
import { CutOverSwap, GetSwap } from './swap-scope.ts';

const { scope } = SCOPE;
const G2 = generationId('g2');
const nameOf = (n: number): string => `document-number-${n}`;
const textOf = (n: number): string => `entry${n} speaks of the harbour${n} and ships${n}`;
const huge = () => aFakeEmbeddingProvider({ version: HUGE });

const start = (world: World, cutover: Cutover) => world.scope({ type: 'StartGeneration', recipe: recipeWith({ version: HUGE }), cutover });

/** A scope with this number of documents, and a generation of another model that is built. */
const aSwap = async (
  documents: number,
  { cutover = 'manual', model = huge(), prepare }: { cutover?: Cutover; model?: EmbeddingProvider; prepare?: (world: World) => void } = {},
) => {
  const world = await new World(model, aFakeEmbeddingProvider({ version: MINI })).begin();
  world.withVectors = true;
  prepare?.(world);
  for (let n = 0; n < documents; n++) await world.indexed(nameOf(n), [textOf(n)]);
  await world.project();
  await start(world, cutover);
  for (let range = 0; range < DOCUMENT_RANGES; range++) await world.build.range(world.run(), G2, range);
  await world.project();
  const caller = (access: Access) => ({ access, correlationId: 'request-1' });
  const buses = new Buses([...world.swaps.handlers, ...world.evaluations.handlers], UNLIMITED);
  return {
    world,
    evaluate: (options: EvaluationOptions = {}, access = ADMIN) => {
      const { handlers } = world.evaluations;
      return new Buses(handlers, UNLIMITED).execute(new EvaluateSwap(caller(access), { scope, ...options }));
    },
    background: (options: EvaluationOptions = {}, access = ADMIN) => {
      const { handlers } = world.evaluations;
      return new Buses(handlers, UNLIMITED).execute(new StartEvaluation(caller(access), { scope, ...options }));
    },
    latest: (access = ADMIN) => buses.execute(new GetSwapEvaluation(caller(access), { scope })),
    status: () => new Buses(world.swaps.handlers, UNLIMITED).execute(new GetSwap(caller(ADMIN), { scope })),
    cutOver: (forced: { force?: boolean; reason?: string } = {}) => buses.execute(new CutOverSwap(caller(ADMIN), { scope, ...forced })),
  };
};

/** Finds nothing: every passage has the same vector. The same each time, so that a spot check finds no fault. */
const blind = (): EmbeddingProvider => {
  const model = huge();
  return { ...model, embed: (texts, kind, signal) => model.embed(kind === 'query' ? texts : texts.map(() => 'nothing'), kind, signal) };
};

describe('an evaluation', () => {
  it('finds that a model that is as good is not worse, by passages of the scope as queries', async () => {
    const { evaluate, latest, status } = await aSwap(60);
    const { evaluation, worst, best } = await evaluate({ seed: 7 });
    expect(evaluation).toMatchObject({
      ...{ generation: 'g2', against: 'g1', verdict: 'not-worse', decidedBy: 'self', seed: 7, margin: 0.02, by: 'person', unsettled: 0 },
      measures: [{ source: 'self', measure: 'nDCG@10', queries: 60, before: 1, after: 1, verdict: 'not-worse', better: 0, worse: 0 }],
      coverage: { chunks: 60, refused: 0, unexplained: 0 },
      spotCheck: { checked: 50, mismatched: 0 },
      latency: { before: { p50: expect.any(Number) }, after: { p95: expect.any(Number) } },
    });
    expect(evaluation.reasons).toEqual([expect.stringMatching(/ruled out/), expect.stringMatching(/there are no judged queries/)]);
    expect([worst, best]).toEqual([[], []]);
    expect((await latest()).evaluation).toEqual(evaluation);
    expect(await status()).toMatchObject({ state: 'ready', evaluation: { verdict: 'not-worse', generation: 'g2' } });
  });

  it('runs once at a time for a tenant', async () => {
    const { world } = await aSwap(5);
    const buses = new Buses(world.evaluations.handlers, UNLIMITED);
    const ask = () => buses.execute(new EvaluateSwap({ access: ADMIN, correlationId: 'request-1' }, { scope }));
    const first = ask();
    await expect(ask()).rejects.toThrow(/^scope "team:red" is being evaluated since .+; ask again when it has ended$/);
    await first;
    expect((await ask()).evaluation.generation).toBe('g2');
  });

  it('runs in the background, with the number of queries done of all in the status of the swap', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const asked: string[] = [];
    const model = huge();
    const held: EmbeddingProvider = {
      ...model,
      embed: async (texts, kind, signal) => {
        if (kind === 'query') asked.push(...texts);
        if (kind === 'query' && asked.length === 3) await promise;
        return model.embed(texts, kind, signal);
      },
    };
    const { world, status, latest, background } = await aSwap(5, { model: held });
    expect(await status()).not.toHaveProperty('evaluationRun');
    const { evaluationRun } = await background({ seed: 7 });
    expect(evaluationRun).toEqual({ run: expect.any(String), state: 'evaluating', by: 'person', startedAt: expect.any(String) });
    const now = () => status().then((found) => found.evaluationRun);
    while (asked.length < 3) await new Promise((next) => setImmediate(next));
    expect(await now()).toEqual({ ...evaluationRun, queries: { done: 2, total: 5 } });
    await expect(background()).rejects.toThrow(/is being evaluated since .+, 2 of 5 queries so far/);
    resolve();
    while ((await now())?.state === 'evaluating') await new Promise((next) => setImmediate(next));
    expect(await now()).toEqual({ ...evaluationRun, state: 'complete', queries: { done: 5, total: 5 }, endedAt: expect.any(String) });
    expect((await latest()).evaluation).toMatchObject({ seed: 7, by: 'person', verdict: 'undecided' });
    expect(world.faults).toEqual([]);
    // Another process knows nothing of it, and shows nothing that runs.
    world.runs = new EvaluationRuns(SYSTEM.ids, world.now);
    expect(await now()).toBeUndefined();
  });

  it('in the background says in the status why it failed, and is refused at once if there is nothing to evaluate', async () => {
    const model = huge();
    const failing = (error: () => Error): EmbeddingProvider => ({
      ...model,
      embed: (texts, kind, signal) => (kind === 'query' ? Promise.reject(error()) : model.embed(texts, kind, signal)),
    });
    for (const [error, reason, faults] of [
      [() => new Unavailable('no answer'), 'no answer', 0],
      [() => new TypeError('a mistake'), 'an unexpected error, which the log of the process describes', 1],
    ] as const) {
      const { world, status, background } = await aSwap(5, { model: failing(error) });
      await background();
      while ((await status()).evaluationRun?.state === 'evaluating') await new Promise((next) => setImmediate(next));
      expect((await status()).evaluationRun).toMatchObject({ state: 'failed', reason });
      expect(world.faults).toHaveLength(faults);
    }
    const world = await new World(huge(), aFakeEmbeddingProvider({ version: MINI })).begin();
    const buses = new Buses(world.evaluations.handlers, UNLIMITED);
    const start = (access: Access) => buses.execute(new StartEvaluation({ access, correlationId: 'request-1' }, { scope }));
    await expect(start(ADMIN)).rejects.toThrow('no second generation to evaluate');
    await expect(start({ ...ADMIN, teams: ['blue'] })).rejects.toThrow(NotFound);
    await expect(start({ ...ADMIN, roles: ['writer'] })).rejects.toThrow(Forbidden);
    expect(world.runs.of(SCOPE)).toBeUndefined();
  });

  it('is the same for the same seed', async () => {
    const { evaluate } = await aSwap(60, { model: blind() });
    const [first, second, other] = [await evaluate({ seed: 1 }), await evaluate({ seed: 1 }), await evaluate({ seed: 2 })];
    const stable = ({ evaluation: { evaluatedAt: _, latency: __, ...rest } }: typeof first) => rest;
    expect(stable(second)).toEqual(stable(first));
    expect(other.evaluation.queries).not.toEqual(first.evaluation.queries);
  });

  it('never passes with too few queries, and says how many are missing', async () => {
    const { evaluate, cutOver } = await aSwap(30);
    expect((await evaluate()).evaluation).toMatchObject({
      ...{ verdict: 'undecided', additionalQueries: 20, decidedBy: 'self' },
      reasons: [expect.stringMatching(/^30 queries are too few: at least 50 are needed/), expect.anything()],
    });
    // A person may decide otherwise.
    expect(await cutOver()).toMatchObject({ generations: [{ status: 'standby' }, { status: 'active' }] });
  });

  it('records numbers and ids, and no text in the clear', async () => {
    const { world, evaluate } = await aSwap(60, { model: blind() });
    const { evaluation, worst } = await evaluate();
    expect(evaluation.verdict).toBe('worse');
    expect(worst[0]).toMatchObject({ source: 'self', before: 1, text: expect.stringMatching(/^entry\d+ speaks of/) });
    expect(worst[0]?.resultsBefore[0]).toMatchObject({ source: expect.stringMatching(/\.md$/) });
    let recorded = '';
    for await (const event of world.log.readAll()) if (event.type === 'GenerationEvaluated') recorded = JSON.stringify(event.data);
    expect(recorded).toContain('"sealed":');
    expect(recorded).not.toMatch(/speaks|harbour|document-number|"queries":\[/);
  });

  it('stops at a model that finds less, although its vectors are what it returns', async () => {
    const { evaluate } = await aSwap(60, { model: blind() });
    const { evaluation } = await evaluate();
    expect(evaluation).toMatchObject({ verdict: 'worse', decidedBy: 'self', spotCheck: { mismatched: 0 } });
    expect(evaluation.measures[0]?.worse).toBeGreaterThan(50);
  });

  it('names chunks without a vector, unless the model refused them', async () => {
    const lost = theChunk(nameOf(3), textOf(3));
    const planted = await aSwap(60, {
      prepare: (world) => (world.plant = (id, vector, of) => (of === HUGE && id === lost ? undefined : vector)),
    });
    expect((await planted.evaluate()).evaluation).toMatchObject({
      ...{ verdict: 'worse', decidedBy: 'faults', unexplained: [lost], coverage: { chunks: 60, refused: 0, unexplained: 1 } },
      reasons: ['1 chunks have no vector, and the model did not refuse them'],
    });
    const picky = aFakeEmbeddingProvider({
      version: HUGE,
      beforeAnswer: ({ texts, kind }) => {
        if (kind !== 'query' && texts.includes(textOf(3))) throw new Conflict('too odd');
      },
    });
    const refused = await aSwap(60, { model: picky });
    expect((await refused.evaluate({ seed: 1 })).evaluation).toMatchObject({
      verdict: expect.not.stringMatching('faults'),
      refused: [{ chunkId: lost, reason: 'too odd' }],
      coverage: { chunks: 60, refused: 1, unexplained: 0 },
    });
  });

  it('finds vectors that belong to another chunk', async () => {
    const vectors: Float32Array[] = [];
    const shuffle = (world: World): void => {
      world.plant = (_, vector, of) => (of === HUGE ? (vectors.push(vector), vectors.at(-2) ?? vector) : vector);
    };
    const { evaluate, cutOver, world } = await aSwap(60, { prepare: shuffle });
    const { evaluation } = await evaluate();
    expect(evaluation).toMatchObject({ verdict: 'worse', decidedBy: 'faults' });
    expect(evaluation.reasons[0]).toMatch(/of 50 chunks have another vector than the model returns for their text/);
    expect(evaluation.mismatched.length).toBeGreaterThan(40);
    await expect(cutOver()).rejects.toThrow(/evaluated as worse than g1 .* force the cut-over with a reason/);
    await expect(cutOver({ force: true })).rejects.toThrow(/reason/);
    await cutOver({ force: true, reason: 'the old model ends today' });
    let forced: unknown;
    for await (const { event } of world.journal.readAll()) if (event.type === 'GenerationActivated') forced = event.data.forced;
    expect(forced).toBe('the old model ends today');
  });

  it('leaves out queries whose sides could not be searched at one position', async () => {
    let position = 0n;
    const { evaluate } = await aSwap(60, { prepare: (world) => (world.position = () => position++) });
    expect((await evaluate()).evaluation).toMatchObject({ verdict: 'undecided', unsettled: 60, measures: [], additionalQueries: 50 });
  });

  it('is refused without a second generation, and unless the caller is an administrator of the scope', async () => {
    const { evaluate, latest, cutOver } = await aSwap(3);
    await expect(latest()).rejects.toThrow(NotFound);
    await evaluate();
    await expect(evaluate({}, { ...ADMIN, roles: ['writer'] })).rejects.toThrow(Forbidden);
    for (const stranger of [
      { ...ADMIN, teams: ['blue'] },
      { ...ADMIN, tenant: 'other' as never },
    ]) {
      await expect(evaluate({}, stranger)).rejects.toThrow(NotFound);
      await expect(latest(stranger)).rejects.toThrow(NotFound);
    }
    expect(await latest({ ...ADMIN, roles: ['reader'] })).toMatchObject({ evaluation: { generation: 'g2' } });
    await cutOver();
    expect((await evaluate()).evaluation).toMatchObject({ generation: 'g1', against: 'g2' });
  });
});

describe('judged queries', () => {
  const judged = (count: number, synthetic = false) =>
    Array.from({ length: count }, (_, n) => ({
      id: `q${n}${synthetic ? 's' : ''}`,
      text: textOf(n),
      relevant: new Map([
        [theDocument(nameOf(n)), 1],
        [theDocument('gone'), 2],
      ]),
      synthetic,
    }));
  const withGolden = (...queries: ReturnType<typeof judged>) => ({
    prepare: (world: World) => (world.golden = { ofScope: async () => [{ name: 'support', version: 2, queries }] }),
  });

  it('decide if there are enough; synthetic ones and documents that are gone do not count', async () => {
    const lost = { id: 'lost', text: 'what is gone', relevant: new Map([[theDocument('gone'), 1]]), synthetic: false };
    const { evaluate } = await aSwap(55, withGolden(...judged(50), ...judged(5, true), lost));
    const { evaluation } = await evaluate();
    expect(evaluation).toMatchObject({
      ...{ verdict: 'not-worse', decidedBy: 'golden', golden: { used: 50, synthetic: 5, unusable: 1 } },
      measures: [{ source: 'golden', queries: 50 }, { source: 'self' }],
      missingDocuments: [theDocument('gone')],
      sets: [{ name: 'support', version: 2, queries: 56 }],
    });
    expect((await evaluate({ synthetic: true })).evaluation.golden).toEqual({ used: 55, synthetic: 0, unusable: 1 });
  });

  it('do not decide if there are too few, and the result says so', async () => {
    const { evaluate } = await aSwap(60, withGolden(...judged(10)));
    const { evaluation } = await evaluate();
    expect(evaluation).toMatchObject({ verdict: 'not-worse', decidedBy: 'self', measures: [{ queries: 10, verdict: 'undecided' }, {}] });
    expect(evaluation.reasons[1]).toMatch(/10 are too few judged queries/);
  });
});

describe('a swap with a gate', () => {
  it('is cut over once it is built, if it is not worse', async () => {
    const { status, world } = await aSwap(60, { cutover: 'gate' });
    expect(await world.active()).toBe(HUGE);
    expect(await status()).toMatchObject({ state: 'idle', evaluation: { verdict: 'not-worse' } });
  });

  it('waits for a person otherwise, with the reason, and evaluates once', async () => {
    const { status, world } = await aSwap(60, { cutover: 'gate', model: blind() });
    expect(await world.active()).toBe(MINI);
    const first = await status();
    expect(first).toMatchObject({
      state: 'ready',
      evaluation: { verdict: 'worse', reasons: [expect.stringMatching(/there is a loss/), expect.anything()] },
    });
    await world.build.range(world.run(), G2, 0);
    expect(await status()).toEqual(first);
  });

  it('is evaluated by another process if the one that built it ended before', async () => {
    let ended = false;
    const model = huge();
    const dying: EmbeddingProvider = {
      ...model,
      embed: async (texts, kind, signal) => {
        if (kind === 'query' && !ended) {
          ended = true;
          throw new Unavailable('the process ends');
        }
        return model.embed(texts, kind, signal);
      },
    };
    const world = await new World(dying, aFakeEmbeddingProvider({ version: MINI })).begin();
    world.withVectors = true;
    for (let n = 0; n < 60; n++) await world.indexed(nameOf(n), [textOf(n)]);
    await world.project();
    await start(world, 'gate');
    const build = (range: number) => world.build.range(world.run(), G2, range);
    for (let range = 0; range < DOCUMENT_RANGES - 1; range++) await build(range);
    await expect(build(DOCUMENT_RANGES - 1)).rejects.toThrow(Unavailable);
    expect(await world.active()).toBe(MINI);
    await build(DOCUMENT_RANGES - 1);
    expect(await world.active()).toBe(HUGE);
  });

  it('waits for a person with the reason if the evaluation fails again and again', async () => {
    const model = huge();
    const failing: EmbeddingProvider = {
      ...model,
      embed: (texts, kind, signal) => (kind === 'query' ? Promise.reject(new Unavailable('no answer')) : model.embed(texts, kind, signal)),
    };
    const swap = aSwap(5, { cutover: 'gate', model: failing });
    await expect(swap).rejects.toThrow('no answer');
    const world = await new World(failing, aFakeEmbeddingProvider({ version: MINI })).begin();
    await world.indexed('a', [textOf(1)]);
    await world.project();
    await start(world, 'gate');
    for (let range = 0; range < DOCUMENT_RANGES; range++) await world.build.range(world.run(), G2, range).catch(() => undefined);
    const swaps = new PauseSwaps(world.journal, new EvaluateBuilt(world.evaluation, world.runs), world.now);
    expect(await swaps.byPlatform(world.run(), 'the model or a store failed 6 times in a row', G2)).toBe(true);
    const buses = new Buses(world.swaps.handlers, UNLIMITED);
    expect(await buses.execute(new GetSwap({ access: ADMIN, correlationId: 'r' }, { scope }))).toMatchObject({
      state: 'ready',
      evaluation: { verdict: 'undecided', reasons: [expect.stringMatching(/could not be completed: the model or a store failed 6 times/)] },
    });
  });
});
