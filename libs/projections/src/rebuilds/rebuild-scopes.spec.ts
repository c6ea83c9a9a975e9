import fc from 'fast-check';
import { SYSTEM } from '@palimpsest/foundation';
import { Faults, InMemoryCatalog } from '@palimpsest/test-kit';
import type { IndexPartition } from '@palimpsest/knowledge/read-models';
import { generationId, tenantId, vectorScope, type TenantScope } from '@palimpsest/knowledge/values';
import { anExchangingProcess } from '../../test/exchanging-process.ts';
import { afterThe, aProcess, aScenario, DIGESTS, emptyDisk, projected } from '../../test/fixture.ts';
import { applyStep, histories, MODELS, Scenario, SCOPE, type Step, theChunk } from '@palimpsest/test-kit/histories';
import { stateOf } from '../../test/read-model-state.ts';
import { VerifyReadModels } from '../verification/verify-read-models.ts';
import { RebuildRun } from './rebuild-run.ts';
import { SetBuild } from './set-build.ts';

const BLUE: TenantScope = { ...SCOPE, scope: vectorScope('team:blue') };
const THEIRS: TenantScope = { tenant: tenantId('other'), scope: SCOPE.scope };
const G1: IndexPartition = { scope: SCOPE, generation: generationId('g1') };
const RED = { by: 'ann', only: { tenant: SCOPE.tenant, scopes: [SCOPE.scope] } };

/** A scope with two generations, one of them retired, next to another one of its tenant, and one of another tenant. */
const aWorld = async () => {
  const world = await aScenario();
  await world.scenario.indexed('a', { texts: ['apple', 'berry'] });
  await world.scenario.indexed('b', { texts: ['cedar'] });
  const blue = await new Scenario(world.log, world.keys, BLUE).begin();
  await blue.indexed('x', { texts: ['dune', 'ember'] });
  const theirs = await new Scenario(world.log, world.keys, THEIRS).begin();
  await theirs.indexed('z', { texts: ['fjord'] });
  await world.scenario.generationStarted(MODELS[1] ?? MODELS[0]);
  await world.scenario.deleted('b');
  await world.scenario.reembedded('a');
  return { ...world, blue, theirs };
};

/** Ids of chunks differ between scopes; those of the scenario follow from the names of documents. */
const ofTheirs = (step: Step): Step => ('name' in step ? { ...step, name: `their-${step.name}` } : step);

const verified = ({ stores, runner }: Pick<Awaited<ReturnType<typeof anExchangingProcess>>, 'stores' | 'runner'>) =>
  new VerifyReadModels(stores, runner, DIGESTS).run();

describe('A rebuild of single scopes', () => {
  it('repairs the rows and the indexes of a damaged scope, and serves all the time', async () => {
    const world = await aWorld();
    const seen = new Set<boolean>();
    const process = await anExchangingProcess(world, ({ catalog }) => {
      const apply = catalog.apply.bind(catalog);
      catalog.apply = async (...call) => {
        seen.add(process.runner.serving());
        return apply(...call);
      };
    });
    const { catalog, vectors, lexical } = process.disk;
    const before = await stateOf(process.disk);
    await vectors.apply(G1, [{ write: 'remove', chunkId: theChunk('a', 'apple') }], await vectors.position(G1));
    await lexical.drop(G1);
    await catalog.replaceScopes([SCOPE], new InMemoryCatalog());
    expect((await verified(process)).differences.length).toBeGreaterThan(4);
    expect(await process.rebuild.run(RED)).toEqual({
      documents: 1,
      chunks: 2,
      position: await world.log.head(),
      seconds: expect.any(Number),
      embeddingCalls: 0,
    });
    expect(await verified(process)).toMatchObject({ clean: true, differences: [] });
    expect(await stateOf(process.disk)).toEqual(before);
    expect([process.opened.map(({ state }) => state), seen, process.errors]).toEqual([['discarded'], new Set([true]), []]);
    await process.runner.stop();
  });

  it('builds nothing of other scopes and replaces none of their rows, also damaged ones', async () => {
    const world = await aWorld();
    const process = await anExchangingProcess(world);
    await process.disk.catalog.replaceScopes([BLUE], new InMemoryCatalog());
    const damaged = (await verified(process)).differences;
    expect(new Set(damaged.map(({ scope }) => scope))).toContain('team:blue');
    await process.rebuild.run(RED);
    expect((await verified(process)).differences).toEqual(damaged);
    const [built] = process.opened;
    expect([await built?.disk.vectors.partitions(), (await built?.disk.catalog.scopes())?.map(({ scope }) => scope)]).toEqual([
      [],
      [SCOPE],
    ]);
    await process.rebuild.run({ by: 'ann', only: { tenant: SCOPE.tenant, scopes: [BLUE.scope, SCOPE.scope] } });
    expect(await verified(process)).toMatchObject({ clean: true });
    await process.runner.stop();
  });

  it('ends with the same read models as a projection without it, whatever is written to any scope meanwhile', () =>
    fc.assert(
      fc.asyncProperty(histories, histories, histories, histories, async (before, theirs, meanwhile, after) => {
        const world = await aScenario();
        const other = await new Scenario(world.log, world.keys, THEIRS).begin();
        for (const step of before) await applyStep(world.scenario, step);
        for (const step of theirs) await applyStep(other, ofTheirs(step));
        const process = await anExchangingProcess(world);
        const rebuilt = process.rebuild.run(RED);
        for (const step of meanwhile) {
          await applyStep(world.scenario, step);
          await applyStep(other, ofTheirs(step));
        }
        await rebuilt;
        for (const step of after) await applyStep(world.scenario, step);
        expect(await process.settled()).toBe('caught up');
        expect(await verified(process)).toMatchObject({ clean: true, differences: [] });
        await process.runner.stop();
        expect(process.errors).toEqual([]);
        expect(await stateOf(process.disk)).toEqual(await stateOf(await projected(world, emptyDisk())));
      }),
      { numRuns: 30 },
    ));

  it('has what was not removed yet at its position, so that nothing is missing until the projection reaches the removal', async () => {
    const world = await aScenario();
    await world.scenario.indexed('a', { texts: ['apple'] });
    const reached = await world.log.head();
    await world.scenario.deleted('a');
    const { stores } = aProcess(world, emptyDisk());
    const set = { ...emptyDisk(), exchange: async () => undefined, discard: async () => undefined };
    const run = new RebuildRun(RED, reached);
    const { signal } = new AbortController();
    const build = new SetBuild(stores, set, run, signal, SYSTEM, { scopes: [SCOPE], end: async () => reached });
    await build.approach();
    expect([build.position, await set.vectors.count(G1), (await set.catalog.documentCounts()).total]).toEqual([reached, 1, 1]);
  });

  it('repairs a scope whose index is found damaged meanwhile', async () => {
    const world = await aWorld();
    const process = await anExchangingProcess(world);
    const before = await stateOf(process.disk);
    const rebuilt = process.rebuild.run(RED);
    process.runner.indexDamaged('vectors', G1, 'a test');
    await rebuilt;
    expect(await process.settled()).toBe('caught up');
    expect(process.runner.serving()).toBe(true);
    expect(await stateOf(process.disk)).toEqual(before);
    await process.runner.stop();
  });

  it('names the scopes in its status, and counts only their events against the cap', async () => {
    const world = await aWorld();
    for (let i = 0; i < 40; i++) await world.scenario.indexed(`more-${i}`, { texts: ['apple'] });
    const process = await anExchangingProcess(world);
    const started = performance.now();
    await process.rebuild.run({ by: 'ann', maxEventsPerSecond: 40, only: { tenant: THEIRS.tenant, scopes: [THEIRS.scope] } });
    expect(process.rebuild.status()).toMatchObject({
      tenant: 'other',
      scopes: ['team:red'],
      state: 'complete',
      maxEventsPerSecond: 40,
      result: { documents: 1, chunks: 1 },
    });
    // The log has more than 160 events of other scopes.
    expect(performance.now() - started).toBeLessThan(2_500);
    await process.runner.stop();
  });

  it('can be cancelled: the read models stay as they are', async () => {
    const [held, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const process = await anExchangingProcess(await aWorld(), ({ lexical }) => {
      const apply = lexical.apply.bind(lexical);
      lexical.apply = async (...call) => {
        held.resolve();
        await gate.promise;
        return apply(...call);
      };
    });
    const before = await stateOf(process.disk);
    const rebuilt = process.rebuild.run(RED);
    rebuilt.catch(() => undefined);
    await held.promise;
    expect(process.rebuild.pause()).toMatchObject({ state: 'paused', scopes: ['team:red'], tenant: 'acme' });
    const cancelled = process.rebuild.cancel();
    gate.resolve();
    expect(await cancelled).toMatchObject({ state: 'cancelled', scopes: ['team:red'] });
    await expect(rebuilt).rejects.toThrow('the rebuild was cancelled');
    expect([await stateOf(process.disk), process.opened.map(({ state }) => state)]).toEqual([before, ['discarded']]);
    await process.runner.stop();
  });

  it.each([
    ['the words', 'adopt', 1],
    ['the vectors', 'adopt', 4],
    ['the rows', 'replaceScopes', 1],
  ])('that fails to exchange %s leaves read models that go on, and can be repeated', async (_, failing, at) => {
    const world = await aWorld();
    let calls = 0;
    const faults = new Faults(Infinity, async (call) => {
      if (call === failing && ++calls === at) throw new Error('no space left');
    });
    const process = await anExchangingProcess(world, undefined, { faults });
    await expect(process.rebuild.run(RED)).rejects.toThrow('no space left');
    expect([process.rebuild.status()?.state, process.opened.map(({ state }) => state)]).toEqual(['failed', ['discarded']]);
    await world.scenario.indexed('c', { texts: ['dune'] });
    expect(await process.settled()).toBe('caught up');
    expect(await verified(process)).toMatchObject({ clean: true });
    expect(await process.rebuild.run(RED)).toMatchObject({ documents: 2 });
    expect(await verified(process)).toMatchObject({ clean: true });
    await process.runner.stop();
  });

  it('refuses scopes that do not exist, and those of another tenant', async () => {
    const world = await aWorld();
    const process = await anExchangingProcess(world);
    await expect(process.rebuild.run({ by: 'ann', only: { tenant: THEIRS.tenant, scopes: [THEIRS.scope, BLUE.scope] } })).rejects.toThrow(
      'scope "team:blue" not found',
    );
    expect([process.rebuild.status(), process.opened]).toEqual([undefined, []]);
    await process.runner.stop();
  });

  it.each(['kill', 'power cut'] as const)(
    'that is ended by a %s at any call of any store leaves read models that end as without it',
    async (end) => {
      const world = await aWorld();
      const expected = await stateOf(await projected(world, emptyDisk()));
      let call = 1;
      for (let crashed = true; crashed; call++) {
        const process = await anExchangingProcess(world, undefined, { faults: new Faults(call) });
        await process.rebuild.run(RED).catch(() => undefined);
        await process.runner.stop().catch(() => undefined);
        crashed = process.errors.length > 0 || process.opened.length === 0 || process.rebuild.status()?.state !== 'complete';
        expect(await stateOf(await projected(world, afterThe(end, process.disk)))).toEqual(expected);
      }
      // Two adoptions for each of two generations, and the rows.
      expect(call).toBeGreaterThan(5);
    },
  );
});
