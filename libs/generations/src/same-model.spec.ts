import { DOCUMENT_RANGES } from '@palimpsest/knowledge/deciders';
import { Conflict, ModelChanged, Unavailable } from '@palimpsest/knowledge/errors';
import { UNLIMITED } from '@palimpsest/knowledge/limits';
import { generationId, recipeWith } from '@palimpsest/knowledge/values';
import { Buses } from '@palimpsest/runtime';
import { aFakeEmbeddingProvider } from '@palimpsest/test-kit';
import { eventually } from '@palimpsest/test-kit/eventually';
import { ADMIN, HUGE, MINI, SCOPE, World } from '../test/world.ts';
import { EvaluateSwap } from './evaluate-swap.ts';
import { requireSameModel, type ComparedModels } from './same-model.ts';
import { CutOverSwap, GetSwap, StartSwap } from './swap-scope.ts';

const { scope } = SCOPE;
const G2 = generationId('g2');
const CALLER = { access: ADMIN, correlationId: 'request-1' };
const SAME = { strings: 6, lowest: 0.9998 };
const changed = () => Promise.reject(new ModelChanged(HUGE, 'a test says so'));

const aSwap = async () => {
  const world = await new World(aFakeEmbeddingProvider({ version: HUGE }), aFakeEmbeddingProvider({ version: MINI })).begin();
  world.withVectors = true;
  await world.indexed('a', ['apple', 'berry']);
  await world.indexed('b', ['cedar']);
  await world.project();
  const buses = new Buses([...world.swaps.handlers, ...world.evaluations.handlers], UNLIMITED);
  await buses.execute(new StartSwap(CALLER, { scope, embeddingVersion: HUGE, cutover: 'manual' }));
  const checks: string[] = [];
  world.verify = async (version) => {
    checks.push(version);
    return SAME;
  };
  return {
    world,
    checks,
    range: (range: number) => world.build.range(world.run(), G2, range),
    state: async () => (await buses.execute(new GetSwap(CALLER, { scope }))).state,
    cutOver: () => buses.execute(new CutOverSwap(CALLER, { scope })),
    evaluate: () => buses.execute(new EvaluateSwap(CALLER, { scope })),
  };
};
const allRanges = async ({ range }: Awaited<ReturnType<typeof aSwap>>): Promise<void> => {
  for (let n = 0; n < DOCUMENT_RANGES; n++) await range(n);
};

describe('the model of a swap', () => {
  it('is compared before each range, and before the generation is built', async () => {
    const swap = await aSwap();
    await allRanges(swap);
    expect(swap.checks).toEqual(Array.from({ length: DOCUMENT_RANGES + 1 }, () => HUGE));
    expect(await swap.state()).toBe('ready');
  });

  it('that changed records no range, and its generation is not built', async () => {
    const swap = await aSwap();
    for (let n = 1; n < DOCUMENT_RANGES; n++) await swap.range(n);
    let left = 1;
    swap.world.verify = async () => (left-- > 0 ? SAME : changed());
    await expect(swap.range(0)).rejects.toBeInstanceOf(ModelChanged);
    await expect(swap.range(0)).rejects.toBeInstanceOf(ModelChanged);
    expect(await swap.state()).toBe('building');
    swap.world.verify = async () => SAME;
    await swap.range(0);
    expect(await swap.state()).toBe('ready');
  });

  it.each([
    ['records them when it is the same', SAME, 2],
    ['records nothing when it has changed', new ModelChanged(HUGE, 'a test says so'), 0],
  ])('embeds the first texts while it is compared, and %s', async (_, outcome, recorded) => {
    const swap = await aSwap();
    const { promise, resolve, reject } = Promise.withResolvers<typeof SAME>();
    swap.world.verify = () => promise;
    const embedded: string[] = [];
    const huge = swap.world.providers.find(({ version }) => version === HUGE);
    if (!huge) throw new Error('the world has the model');
    const { embed } = huge;
    huge.embed = async (...call) => (embedded.push(...call[0]), embed.apply(huge, call));
    const all = Promise.allSettled(Array.from({ length: DOCUMENT_RANGES }, (__, range) => swap.range(range)));
    await eventually('texts are embedded', async () => embedded.length === 3 || undefined);
    const vectors = async () => (await swap.world.models('a', 'apple', 'berry')).filter((of) => of.includes(HUGE)).length;
    expect(await vectors()).toBe(0);
    if (outcome instanceof Error) reject(outcome);
    else resolve(outcome);
    await all;
    expect(await vectors()).toBe(recorded);
  });

  it('that changed is not cut over to; one that cannot be compared now is', async () => {
    const swap = await aSwap();
    await allRanges(swap);
    swap.world.verify = changed;
    await expect(swap.cutOver()).rejects.toThrow(Conflict);
    expect(await swap.world.active()).toBe(MINI);
    swap.world.verify = () => Promise.reject(new Unavailable('the endpoint is away'));
    await swap.cutOver();
    expect(await swap.world.active()).toBe(HUGE);
  });

  it('is part of the evidence of an evaluation, and is not evaluated if it changed', async () => {
    const swap = await aSwap();
    await allRanges(swap);
    await swap.world.project();
    await expect(swap.evaluate()).resolves.toMatchObject({ evaluation: { canaryStrings: SAME } });
    swap.world.verify = changed;
    await expect(swap.evaluate()).rejects.toMatchObject({ code: 'Unavailable', forCallers: true });
  });
});

describe('a model of files', () => {
  const models = (digest?: string): ComparedModels => ({
    recipeOf: (version) => recipeWith({ version, ...(digest === undefined ? {} : { digest }) }),
    verify: async () => undefined,
  });
  const generation = (digest?: string) => ({
    ...{ id: G2, embeddingVersion: HUGE, status: 'building' as const },
    recipe: recipeWith({ version: HUGE, ...(digest === undefined ? {} : { digest }) }),
  });

  it('is compared by the digest of its files, if both are known', async () => {
    await expect(requireSameModel(models('aa'), generation('bb'))).rejects.toThrow('its files have another digest');
    for (const [now, before] of [
      ['aa', 'aa'],
      [undefined, 'aa'],
      ['aa', undefined],
    ])
      await expect(requireSameModel(models(now), generation(before))).resolves.toBeUndefined();
  });
});
