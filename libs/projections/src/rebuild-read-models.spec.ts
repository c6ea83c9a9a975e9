import fc from 'fast-check';
import { aProcess, aScenario, emptyDisk, projected, type Disk } from '../test/fixture.ts';
import { stateOf } from '../test/read-model-state.ts';
import { applyStep, histories } from '../test/random-history.ts';
import { RebuildReadModels } from './rebuild-read-models.ts';
import { Exchangeable } from './views/exchangeable.ts';
import type { SetAlongside } from './views/set-alongside.ts';

/** A process that can open second sets, the status of each, and of those opened before it (`besides`). */
const anExchangingProcess = async (world: Awaited<ReturnType<typeof aScenario>>, change: (disk: Disk) => void = () => {}) => {
  const first = await projected(world, emptyDisk());
  const { catalog, vectors, lexical } = {
    catalog: new Exchangeable(first.catalog),
    vectors: new Exchangeable(first.vectors),
    lexical: new Exchangeable(first.lexical),
  };
  const disk: Disk = { catalog: catalog.port, vectors: vectors.port, lexical: lexical.port, checkpoints: first.checkpoints };
  const opened: { state: 'open' | 'current' | 'discarded'; besides: readonly string[]; disk: Disk }[] = [];
  const alongside = async (): Promise<SetAlongside> => {
    const one: (typeof opened)[number] = { state: 'open', besides: opened.map(({ state }) => state), disk: emptyDisk() };
    change(one.disk);
    opened.push(one);
    return {
      ...one.disk,
      exchange: async () => {
        void Promise.all([catalog.exchange(one.disk.catalog), vectors.exchange(one.disk.vectors), lexical.exchange(one.disk.lexical)]);
        one.state = 'current';
      },
      discard: async () => void (one.state = 'discarded'),
    };
  };
  const process = aProcess(world, disk);
  process.runner.start();
  await process.settled();
  return { ...process, disk, opened, rebuild: new RebuildReadModels({ ...process.stores, alongside }, process.runner, () => 0) };
};

describe('A rebuild next to the serving read models', () => {
  it('leaves the serving ones as they are until the exchange, and serves all the time', async () => {
    const world = await aScenario();
    await world.scenario.indexed('a', { texts: ['apple', 'berry'] });
    const seen: unknown[] = [];
    const process = await anExchangingProcess(world, ({ vectors }) => {
      const apply = vectors.apply.bind(vectors);
      vectors.apply = async (...call) => {
        seen.push([process.runner.serving(), (await stateOf(process.disk)).documents.length]);
        return apply(...call);
      };
    });
    const before = await stateOf(process.disk);
    expect(await process.rebuild.run()).toMatchObject({ position: await world.log.head(), documents: 1, chunks: 2, embeddingCalls: 0 });
    expect(seen.length).toBeGreaterThan(0);
    expect(new Set(seen.map((one) => JSON.stringify(one)))).toEqual(new Set(['[true,1]']));
    expect(await stateOf(process.disk)).toEqual(before);
    expect(process.opened.map(({ state }) => state)).toEqual(['current']);
    await process.runner.stop();
    expect(await process.disk.checkpoints.get('read-models')).toBe(await world.log.head());
  });

  it('ends with the same read models as a projection without it, whatever is written meanwhile', () =>
    fc.assert(
      fc.asyncProperty(histories, histories, histories, async (before, meanwhile, after) => {
        const world = await aScenario();
        for (const step of before) await applyStep(world.scenario, step);
        const process = await anExchangingProcess(world);
        const rebuilt = process.rebuild.run();
        for (const step of meanwhile) await applyStep(world.scenario, step);
        await rebuilt;
        for (const step of after) await applyStep(world.scenario, step);
        expect(await process.settled()).toBe('caught up');
        await process.runner.stop();
        expect(process.errors).toEqual([]);
        expect(await stateOf(process.disk)).toEqual(await stateOf(await projected(world, emptyDisk())));
      }),
      { numRuns: 30 },
    ));

  it('is discarded when it fails, and the serving read models go on', async () => {
    const world = await aScenario();
    await world.scenario.indexed('a', { texts: ['apple'] });
    const process = await anExchangingProcess(world, (disk) => (disk.lexical.apply = () => Promise.reject(new Error('no space left'))));
    const before = await stateOf(process.disk);
    await expect(process.rebuild.run()).rejects.toThrow('no space left');
    expect([process.runner.serving(), process.opened.map(({ state }) => state)]).toEqual([true, ['discarded']]);
    expect(await stateOf(process.disk)).toEqual(before);
    await world.scenario.indexed('b', { texts: ['cedar'] });
    expect(await process.settled()).toBe('caught up');
    await process.runner.stop();
  });

  it('ends and is discarded when the runner stops', async () => {
    const world = await aScenario();
    await world.scenario.indexed('a', { texts: ['apple'] });
    const process = await anExchangingProcess(world);
    const rebuilt = process.rebuild.run();
    rebuilt.catch(() => undefined);
    await process.runner.stop();
    await expect(rebuilt).rejects.toThrow('the process is stopping');
    expect(process.opened.map(({ state }) => state)).toEqual(['discarded']);
  });

  it('repairs damage that was found meanwhile', async () => {
    const world = await aScenario();
    await world.scenario.indexed('a', { texts: ['apple'] });
    const process = await anExchangingProcess(world);
    const before = await stateOf(process.disk);
    const [partition] = await process.disk.vectors.partitions();
    if (!partition) throw new Error('there is a partition');
    const rebuilt = process.rebuild.run();
    process.runner.indexDamaged('vectors', partition, 'a test');
    await rebuilt;
    expect(await process.settled()).toBe('caught up');
    expect(process.runner.serving()).toBe(true);
    await process.runner.stop();
    expect(await stateOf(process.disk)).toEqual(before);
  });

  it('runs once at a time', async () => {
    const world = await aScenario();
    await world.scenario.indexed('a', { texts: ['apple'] });
    const process = await anExchangingProcess(world);
    await Promise.all([process.rebuild.run(), process.rebuild.run()]);
    expect(process.opened.map(({ state, besides }) => [state, besides])).toEqual([
      ['current', []],
      ['current', ['current']],
    ]);
    await process.runner.stop();
  });
});
