import fc from 'fast-check';
import { chunkId, position } from '@palimpsest/knowledge/values';
import { anExchangingProcess } from '../../test/exchanging-process.ts';
import { aScenario, emptyDisk, projected } from '../../test/fixture.ts';
import { stateOf } from '../../test/read-model-state.ts';
import { applyStep, histories } from '@palimpsest/test-kit/histories';

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
    expect(await process.rebuild.run({ by: 'test' })).toMatchObject({
      position: await world.log.head(),
      documents: 1,
      chunks: 2,
      embeddingCalls: 0,
    });
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
        const rebuilt = process.rebuild.run({ by: 'test' });
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

  it('leaves nothing that is not on the log, and counts the calls of its process to a model', async () => {
    const world = await aScenario();
    await world.scenario.indexed('a', { texts: ['apple', 'berry'] });
    const expected = await stateOf(await projected(world, emptyDisk()));
    const process = await anExchangingProcess(world);
    const [partition] = await process.disk.vectors.partitions();
    if (!partition) throw new Error('there is a partition');
    const stray = { write: 'put' as const, chunkId: chunkId('f'.repeat(32)), text: 'stray', language: 'en', attributes: {} };
    await process.disk.lexical.apply(partition, [stray], position(1_000_000n));
    let calls = 7;
    expect(await process.rebuildCounting(() => calls++).run({ by: 'test' })).toMatchObject({ documents: 1, chunks: 2, embeddingCalls: 1 });
    await process.runner.stop();
    expect(await stateOf(process.disk)).toEqual(expected);
  });

  it('is discarded when it fails, and the serving read models go on', async () => {
    const world = await aScenario();
    await world.scenario.indexed('a', { texts: ['apple'] });
    const process = await anExchangingProcess(world, (disk) => (disk.lexical.apply = () => Promise.reject(new Error('no space left'))));
    const before = await stateOf(process.disk);
    await expect(process.rebuild.run({ by: 'test' })).rejects.toThrow('no space left');
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
    const rebuilt = process.rebuild.run({ by: 'test' });
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
    const rebuilt = process.rebuild.run({ by: 'test' });
    process.runner.indexDamaged('vectors', partition, 'a test');
    await rebuilt;
    expect(await process.settled()).toBe('caught up');
    expect(process.runner.serving()).toBe(true);
    await process.runner.stop();
    expect(await stateOf(process.disk)).toEqual(before);
  });

  it('runs once at a time: a second one is refused', async () => {
    const world = await aScenario();
    await world.scenario.indexed('a', { texts: ['apple'] });
    const process = await anExchangingProcess(world);
    expect(process.rebuild.status()).toBeUndefined();
    const first = process.rebuild.run({ by: 'ann' });
    await expect(process.rebuild.run({ by: 'bob' })).rejects.toThrow(/^a rebuild is already running: started at .* by ann$/);
    await first;
    await process.rebuild.run({ by: 'bob' });
    expect(process.opened.map(({ state, besides }) => [state, besides])).toEqual([
      ['current', []],
      ['current', ['current']],
    ]);
    await process.runner.stop();
  });
});

/** A process that rebuilds event by event, held at its first write until `go` is called. */
const aHeldRebuild = async () => {
  const world = await aScenario();
  await world.scenario.indexed('a', { texts: ['apple', 'berry'] });
  await world.scenario.indexed('b', { texts: ['cedar'] });
  const [held, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const process = await anExchangingProcess(world, ({ vectors }) => {
    const apply = vectors.apply.bind(vectors);
    vectors.apply = async (...call) => {
      held.resolve();
      await gate.promise;
      return apply(...call);
    };
  });
  const before = await stateOf(process.disk);
  const rebuilt = process.rebuild.run({ by: 'ann', maxEventsPerSecond: 1_000_000 });
  rebuilt.catch(() => undefined);
  await held.promise;
  return { world, process, before, rebuilt, go: () => gate.resolve(), rebuild: process.rebuild };
};

describe('A running rebuild', () => {
  it('reports how far it is, and its result at the end', async () => {
    const { world, process, rebuilt, go, rebuild } = await aHeldRebuild();
    const head = Number(await world.log.head());
    expect(rebuild.status()).toEqual({
      state: 'running',
      startedAt: expect.stringMatching(/^\d{4}-/),
      startedBy: 'ann',
      positions: { done: 0, total: head },
      maxEventsPerSecond: 1_000_000,
    });
    go();
    const result = await rebuilt;
    expect(rebuild.status()).toEqual({
      ...rebuild.status(),
      state: 'complete',
      positions: { done: head, total: head },
      eventsPerSecond: expect.any(Number),
      endedAt: expect.any(String),
      result,
    });
    expect(rebuild.status()).not.toHaveProperty('remainingSeconds');
    await process.runner.stop();
  });

  it('can be paused while the serving read models follow the log, and resumed', async () => {
    const { world, process, rebuilt, go, rebuild } = await aHeldRebuild();
    expect([rebuild.pause().state, rebuild.pause().state]).toEqual(['paused', 'paused']);
    go();
    for (const id of ['c', 'd', 'e']) {
      await world.scenario.indexed(id, { texts: ['elder'] });
      expect(await process.settled()).toBe('caught up');
    }
    expect([rebuild.status()?.state, process.opened.map(({ state }) => state)]).toEqual(['paused', ['open']]);
    expect((await stateOf(process.disk)).documents.length).toBe(5);
    expect([rebuild.resume().state, rebuild.resume().state]).toEqual(['running', 'running']);
    await rebuilt;
    await process.runner.stop();
    expect(process.opened.map(({ state }) => state)).toEqual(['current']);
    expect(await stateOf(process.disk)).toEqual(await stateOf(await projected(world, emptyDisk())));
  });

  it.each(['running', 'paused'])('can be cancelled while it is %s: what was built is dropped', async (state) => {
    const { process, before, rebuilt, go, rebuild } = await aHeldRebuild();
    if (state === 'paused') rebuild.pause();
    const cancelled = rebuild.cancel();
    go();
    expect(await cancelled).toMatchObject({ state: 'cancelled', endedAt: expect.any(String) });
    await expect(rebuilt).rejects.toThrow('the rebuild was cancelled; the read models are those from before it');
    expect([process.opened.map((one) => one.state), process.runner.serving()]).toEqual([['discarded'], true]);
    expect(await stateOf(process.disk)).toEqual(before);
    await rebuild.run({ by: 'bob' });
    expect(process.opened.map((one) => one.state)).toEqual(['discarded', 'current']);
    await process.runner.stop();
  });

  it('that is paused ends with the process', async () => {
    const { process, rebuilt, go, rebuild } = await aHeldRebuild();
    rebuild.pause();
    go();
    await process.runner.stop();
    await expect(rebuilt).rejects.toThrow('the process is stopping');
    expect(rebuild.status()).toMatchObject({ state: 'failed', reason: 'the process is stopping' });
  });

  it('is over for operators once its set is exchanged', async () => {
    const { process, rebuilt, go, rebuild } = await aHeldRebuild();
    go();
    await rebuilt;
    for (const act of [() => rebuild.pause(), () => rebuild.resume(), () => rebuild.cancel()])
      await expect((async () => act())()).rejects.toThrow('no rebuild is running');
    await process.runner.stop();
  });
});
