import { DOCUMENT_RANGES } from '@palimpsest/knowledge/deciders';
import { InvalidValue, Unavailable } from '@palimpsest/knowledge/errors';
import type { QueryWindow } from '@palimpsest/knowledge/evaluation';
import { UNLIMITED } from '@palimpsest/knowledge/limits';
import type { EmbeddingProvider } from '@palimpsest/knowledge/ports';
import { generationId, recipeWith, tenantId } from '@palimpsest/knowledge/values';
import { Buses } from '@palimpsest/runtime';
import { aFakeEmbeddingProvider } from '@palimpsest/test-kit';
import { searchedBefore, type PastSearch } from '../test/past-searches.ts';
import { ADMIN, HUGE, MINI, SCOPE, World } from '../test/world.ts';
import { EvaluateSwap, GetSwapEvaluation } from './evaluate-swap.ts';

const textOf = (n: number): string => `entry${n} speaks of the harbour${n} and ships${n}`;
const huge = (): EmbeddingProvider => aFakeEmbeddingProvider({ version: HUGE });
const QUERIES = ['which entry3 speaks of ships3', 'harbour7', 'a question about nothing here'];
const caller = { access: ADMIN, correlationId: 'request-1' };

type More = Readonly<{ model?: EmbeddingProvider; recordQueries?: boolean; documents?: number; pastQueries?: QueryWindow }>;

/** A scope with a second generation that is built, whose callers searched before. */
const afterSearches = async (
  searches: readonly PastSearch[],
  { model = huge(), recordQueries = true, documents = 12, pastQueries }: More = {},
) => {
  const world = await new World(model, aFakeEmbeddingProvider({ version: MINI })).begin();
  world.withVectors = true;
  world.recordQueries = recordQueries;
  for (let n = 0; n < documents; n++) await world.indexed(`document-number-${n}`, [textOf(n)]);
  await world.project();
  const named = pastQueries === undefined ? {} : { pastQueries };
  await world.scope({ type: 'StartGeneration', recipe: recipeWith({ version: HUGE }), cutover: 'manual', ...named });
  for (let range = 0; range < DOCUMENT_RANGES; range++) await world.build.range(world.run(), generationId('g2'), range);
  await world.project();
  await searchedBefore(world, searches);
  const buses = () => new Buses(world.evaluations.handlers, UNLIMITED);
  return {
    world,
    evaluate: async (more: Readonly<{ pastQueries?: QueryWindow }> = {}) =>
      (await buses().execute(new EvaluateSwap(caller, { scope: SCOPE.scope, seed: 7, ...more }))).evaluation,
    latest: async () => (await buses().execute(new GetSwapEvaluation(caller, { scope: SCOPE.scope }))).evaluation,
  };
};

const asked = (...texts: readonly string[]): readonly PastSearch[] => texts.map((text) => ({ text }));

describe('the past queries of an evaluation', () => {
  it('are asked on both sides, and the result counts and compares them', async () => {
    const { evaluate, latest } = await afterSearches([...asked(...QUERIES, QUERIES[0] ?? ''), { text: undefined }]);
    const evaluation = await evaluate();
    expect(evaluation.past).toEqual({
      ...{ used: 3, leftOut: 1, withoutResults: { before: 0, after: 0 } },
      agreement: {
        ...{ overlap: expect.any(Number), rbo: expect.any(Number), scoreShift: expect.any(Number), rankShift: expect.any(Number) },
      },
      bestScore: { before: expect.any(Number), after: expect.any(Number) },
    });
    const { overlap = 0, rbo = 0 } = evaluation.past?.agreement ?? {};
    expect(overlap).toBeGreaterThan(0.5);
    expect(overlap).toBeLessThanOrEqual(1);
    expect(rbo).toBeGreaterThan(0.3);
    expect(evaluation.pastQueries).toHaveLength(3);
    const ranks = evaluation.pastQueries?.map((each) => each.rbo) ?? [];
    expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
    expect((await latest()).past).toEqual(evaluation.past);
  });

  it('are those of the window that the swap names, unless the evaluation names another one', async () => {
    const late = { after: '2999-01-01T00:00:00.000Z' };
    const { evaluate } = await afterSearches(asked(...QUERIES), { pastQueries: late });
    expect((await evaluate()).past).toMatchObject({ used: 0, window: late });
    const early = { before: '2999-01-01T00:00:00.000Z' };
    expect((await evaluate({ pastQueries: early })).past).toMatchObject({ used: 3, window: early });
    const { evaluate: newest } = await afterSearches(asked(...QUERIES));
    expect((await newest()).past).not.toHaveProperty('window');
  });

  it('agree completely if both sides find the same', async () => {
    // The same model for both sides, under another name.
    const { embed } = aFakeEmbeddingProvider({ version: MINI });
    const padded = async (...args: Parameters<typeof embed>) =>
      (await embed(...args)).map((one) => ({ ...one, vector: Float32Array.from({ length: 32 }, (_, i) => one.vector[i] ?? 0) }));
    const { evaluate } = await afterSearches(asked(...QUERIES), { model: { ...huge(), embed: padded } });
    const { past } = await evaluate();
    expect(past?.agreement?.overlap).toBe(1);
    expect(past?.agreement?.scoreShift).toBeCloseTo(0, 6);
    expect(past?.bestScore?.after).toBeCloseTo(past?.bestScore?.before ?? Number.NaN, 6);
  });

  it('change neither the verdict nor the figures of the other queries', async () => {
    const stable = ({ past: _, pastQueries: __, latency: ___, evaluatedAt: ____, ...rest }: Awaited<ReturnType<typeof evaluate>>) => rest;
    const { evaluate, world } = await afterSearches(asked(...QUERIES));
    const withPast = await evaluate();
    world.recordQueries = false;
    const without = await evaluate();
    expect([without.past, without.pastQueries]).toEqual([undefined, undefined]);
    expect(stable(withPast)).toEqual({ ...stable(without), from: withPast.from, upTo: withPast.upTo });
  });

  it('count for the score floors, which need at least 50 queries', async () => {
    const few = await afterSearches(asked(...QUERIES));
    expect((await few.evaluate()).scoreFloors).toBeUndefined();
    const { evaluate, world } = await afterSearches(asked(...Array.from({ length: 50 }, (_, n) => `harbour${n}`)), { documents: 60 });
    const { basis, queries, floors = [] } = (await evaluate()).scoreFloors ?? {};
    expect([basis, queries]).toEqual(['people', 50]);
    expect(floors.length).toBeGreaterThan(0);
    expect(floors.map(({ after }) => after)).toEqual(floors.map(({ after }) => after).toSorted((a, b) => a - b));
    world.recordQueries = false;
    expect((await evaluate()).scoreFloors).toMatchObject({ basis: 'passages', queries: 60 });
  });

  it('count as without results if no score reaches what the caller asked for', async () => {
    const { evaluate } = await afterSearches([
      { text: 'a', minScore: 2 },
      { text: 'b', minScore: -1 },
    ]);
    expect(await evaluate()).toMatchObject({ past: { used: 2, withoutResults: { before: 1, after: 1 } } });
  });

  it('never are those of another tenant or of an erased scope', async () => {
    const { evaluate, world } = await afterSearches([]);
    await searchedBefore(world, asked('harbour1'), tenantId('other'));
    await searchedBefore(world, [{ text: 'harbour2', scopes: ['team:red', 'user:ann'], keyScope: 'user:ann' }]);
    await world.keys.destroy({ tenant: SCOPE.tenant, scope: 'user:ann' as never });
    expect((await evaluate()).past).toEqual({ used: 0, leftOut: 1, withoutResults: { before: 0, after: 0 } });
  });

  it('are recorded by the ids of their records, sealed, and never with their texts', async () => {
    const { evaluate, world } = await afterSearches(asked(...QUERIES));
    const { pastQueries = [] } = await evaluate();
    expect(pastQueries).toHaveLength(3);
    let onTheLog = '';
    for await (const event of world.log.readAll()) if (event.type === 'GenerationEvaluated') onTheLog = JSON.stringify(event.data);
    expect(onTheLog).toContain('"past":{"used":3');
    expect(onTheLog).not.toContain('pastQueries');
    for (const { traceId } of pastQueries) expect(onTheLog).not.toContain(`"${traceId}"`);
    expect(JSON.stringify(await evaluate())).not.toMatch(/question about|which entry3/);
  });

  it('do not end the evaluation if a model refuses one, unlike a model that cannot be reached', async () => {
    const model = huge();
    const failing = (error: Error): EmbeddingProvider => ({
      ...model,
      embed: (texts, kind, signal) => (texts.includes('harbour7') ? Promise.reject(error) : model.embed(texts, kind, signal)),
    });
    const refusing = failing(new InvalidValue('texts', 'texts that the embedding endpoint accepts', undefined));
    const { evaluate } = await afterSearches(asked(...QUERIES), { model: refusing });
    expect(await evaluate()).toMatchObject({ past: { used: 2, leftOut: 1 }, unsettled: 0 });
    const away = await afterSearches(asked(...QUERIES), { model: failing(new Unavailable('no answer')) });
    await expect(away.evaluate()).rejects.toThrow('no answer');
  });
});
