import fc from 'fast-check';
import { SYSTEM } from '@palimpsest/foundation';
import { Faults } from '@palimpsest/test-kit';
import { generationId, tenantId, vectorScope } from '@palimpsest/knowledge/values';
import { damages, plant, type Damage } from '../../test/damage.ts';
import { afterThe, aProcess, aScenario, DIGESTS, emptyDisk, projected, type Disk, type Process } from '../../test/fixture.ts';
import { applyStep, histories, MODELS, Scenario, SCOPE, theChunk } from '@palimpsest/test-kit/histories';
import { stateOf } from '../../test/read-model-state.ts';
import { RepairReadModels, type RepairOrder } from './repair-read-models.ts';
import { Verifications } from './verifications.ts';
import { VerifyReadModels } from './verify-read-models.ts';
import { WriteDifferences } from './write-differences.ts';

const ORDER: RepairOrder = { by: 'key:spec', correlationId: 'r-1', trigger: 'requested' };

const repairing = ({ stores, runner }: Pick<Process, 'stores' | 'runner'>, isRebuilding = () => false) => {
  const verify = new VerifyReadModels(stores, runner, DIGESTS);
  const verifications = new Verifications(verify);
  const writes = new WriteDifferences(stores, SYSTEM.scheduler);
  const repair = new RepairReadModels({ journal: stores.journal, verify, verifications, writes, isRebuilding, system: SYSTEM });
  return { verify, verifications, repair };
};

/** Lists the writes of each store, apart from empty ones. */
const counted = (disk: Disk) => {
  const writes: string[] = [];
  const wrap = <T extends object>(name: string, store: T, methods: readonly string[]): T =>
    new Proxy(store, {
      get: (target, property) => {
        const found: unknown = Reflect.get(target, property);
        if (typeof found !== 'function') return found;
        return (...given: unknown[]): unknown => {
          if (methods.includes(String(property))) {
            const list = given.find((each) => Array.isArray(each)) as unknown[] | undefined;
            if (list?.length !== 0) writes.push(`${name} ${String(property)} ${list?.length ?? ''}`.trim());
          }
          return found.apply(target, given) as unknown;
        };
      },
    });
  return {
    writes,
    disk: {
      ...disk,
      catalog: wrap('catalog', disk.catalog, ['apply', 'replaceRows']),
      vectors: wrap('vectors', disk.vectors, ['apply', 'drop']),
      lexical: wrap('lexical', disk.lexical, ['apply', 'drop']),
    },
  };
};

/** Documents `a` and `b` with a second generation, on read models whose orphans are already dropped. */
const aWorld = async () => {
  const world = await aScenario();
  await world.scenario.indexed('a', { texts: ['apple', 'berry', 'cedar'] });
  await world.scenario.indexed('b', { texts: ['dune', 'ember'] });
  await world.scenario.generationStarted(MODELS[1] ?? MODELS[0]);
  await world.scenario.reembedded('a');
  await world.scenario.reembedded('b');
  return world;
};

const running = async (world: Awaited<ReturnType<typeof aScenario>>, disk: Disk, faults?: Faults) => {
  let cleaned: () => void = () => {};
  const cleanup = new Promise<void>((resolve) => (cleaned = resolve));
  const process = aProcess(world, disk, { checkIndexes: async ({ urgent }) => void (urgent || cleaned()), ...(faults ? { faults } : {}) });
  process.runner.start();
  await cleanup;
  return process;
};

const eventsOf = async ({ stores }: Process) => {
  const found: unknown[] = [];
  for await (const { event, metadata } of stores.journal.readAll({ types: ['ReadModelsRepaired'] }))
    found.push({ ...event.data, by: metadata.actor });
  return found;
};

const index = (harm: 'missing' | 'different' | 'extra', store: 'vectors' | 'lexical'): Damage => ({ harm, store, entry: 1 });

describe('A repair', () => {
  it.each<readonly [Damage, readonly string[]]>([
    [index('missing', 'vectors'), ['vectors apply 1']],
    [index('different', 'vectors'), ['vectors apply 1']],
    [index('extra', 'vectors'), ['vectors apply 1']],
    [index('missing', 'lexical'), ['lexical apply 1']],
    [index('different', 'lexical'), ['lexical apply 1']],
    [index('extra', 'lexical'), ['lexical apply 1']],
    [{ harm: 'orphan', store: 'vectors' }, ['vectors drop']],
    [{ harm: 'orphan', store: 'lexical' }, ['lexical drop']],
    [{ harm: 'missing document' }, ['catalog replaceRows 5']],
    [{ harm: 'different document' }, ['catalog replaceRows 1']],
    [{ harm: 'extra document' }, ['catalog replaceRows 1']],
    [{ harm: 'extra knowledge base' }, ['catalog replaceRows 1']],
  ])('of %j writes only what differs, and records it', async (damage, expected) => {
    const world = await aWorld();
    const { disk, writes } = counted(emptyDisk());
    const process = await running(world, disk);
    const before = await stateOf(disk);
    await process.runner.whilePaused(() => plant(disk, damage, process.runner.position()));
    const { verify, repair } = repairing(process);
    const found = (await verify.run()).differences;
    expect(found.length).toBeGreaterThan(0);
    writes.length = 0;
    const { repaired, counts, after } = await repair.run(ORDER);
    expect(writes).toEqual(expected);
    expect([repaired, after.clean, after.full]).toEqual([found.length, true, false]);
    expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(found.length);
    expect(await stateOf(disk)).toEqual(before);
    expect(await eventsOf(process)).toMatchObject([{ by: 'key:spec', trigger: 'requested', total: found.length, counts, remaining: 0 }]);
    expect(await repair.past()).toMatchObject([{ by: 'key:spec', event: { total: found.length } }]);
    await process.runner.stop();
  });

  it('of read models without differences writes and records nothing', async () => {
    const world = await aWorld();
    const { disk, writes } = counted(emptyDisk());
    const process = await running(world, disk);
    writes.length = 0;
    expect(await repairing(process).repair.run(ORDER)).toMatchObject({ repaired: 0, counts: [], after: { clean: true } });
    expect([writes, await eventsOf(process)]).toEqual([[], []]);
    await process.runner.stop();
  });

  it('leaves what a projection from the log gives, for any history and any damage, and newer facts are projected as ever', () =>
    fc.assert(
      fc.asyncProperty(histories, fc.array(damages, { minLength: 1, maxLength: 6 }), histories, async (history, harm, later) => {
        const world = await aScenario();
        for (const step of history) await applyStep(world.scenario, step);
        const disk = emptyDisk();
        const process = await running(world, disk);
        await process.settled();
        for (const damage of harm) await process.runner.whilePaused(() => plant(disk, damage, process.runner.position()));
        const { repair } = repairing(process);
        const { after } = await repair.run(ORDER);
        expect(after).toMatchObject({ clean: true, differences: [] });
        expect(await stateOf(disk)).toEqual(await stateOf(await projected(world, emptyDisk())));
        const fresh = await new VerifyReadModels(process.stores, process.runner, DIGESTS).run();
        expect(after.partitions).toEqual(fresh.partitions);
        for (const step of later.slice(0, 4)) await applyStep(world.scenario, step);
        await process.settled();
        expect((await repairing(process).verify.run()).differences).toEqual([]);
        await process.runner.stop();
        expect(process.errors).toEqual([]);
      }),
      { numRuns: 40 },
    ));

  it('that is killed anywhere is completed by the next one', async () => {
    let killed = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(damages, { minLength: 2, maxLength: 8 }),
        fc.integer({ min: 1, max: 12 }),
        fc.constantFrom('kill' as const, 'power cut' as const),
        async (harm, call, end) => {
          const world = await aWorld();
          const disk = await projected(world, emptyDisk());
          const at = await world.log.head();
          const expected = await stateOf(disk);
          for (const damage of harm) await plant(disk, damage, at);
          await Promise.all([disk.vectors.flush(), disk.lexical.flush()]);
          const doomed = aProcess(world, disk, { faults: new Faults(call) });
          doomed.runner.start();
          await doomed.settled();
          await repairing(doomed)
            .repair.run(ORDER)
            .catch(() => killed++);
          await doomed.runner.stop().catch(() => undefined);
          const left = afterThe(end, disk);
          const next = await running(world, left);
          expect((await repairing(next).repair.run(ORDER)).after.clean).toBe(true);
          expect(await stateOf(left)).toEqual(expected);
          await next.runner.stop();
        },
      ),
      { numRuns: 60 },
    );
    expect(killed).toBeGreaterThan(5);
  });

  it('of single scopes leaves the others as they are', async () => {
    const blue = { ...SCOPE, scope: vectorScope('team:blue') };
    const world = await aWorld();
    const other = await new Scenario(world.log, world.keys, blue).begin();
    await other.indexed('c', { texts: ['apple'] });
    const disk = emptyDisk();
    const process = await running(world, disk);
    await process.settled();
    const at = process.runner.position();
    for (const [scope, name] of [
      [SCOPE, 'a'],
      [blue, 'c'],
    ] as const)
      await disk.vectors.apply({ scope, generation: generationId('g1') }, [{ write: 'remove', chunkId: theChunk(name, 'apple') }], at);
    const { repair } = repairing(process);
    const only = { tenant: SCOPE.tenant, scopes: [blue.scope] };
    const { repaired, counts, after } = await repair.run({ ...ORDER, only });
    expect([repaired, counts.map(({ scope }) => scope)]).toEqual([1, ['team:blue']]);
    expect(after.differences.map(({ scope }) => scope)).toEqual(['team:red']);
    await expect(repair.run({ ...ORDER, only: { ...only, tenant: tenantId('other') } })).rejects.toThrow('team:blue');
    expect(await eventsOf(process)).toMatchObject([{ total: 1, remaining: 1 }]);
    await process.runner.stop();
  });

  it('removes rows and entries that name nothing possible, and records them without these names', async () => {
    const world = await aWorld();
    const disk = emptyDisk();
    const process = await running(world, disk);
    const odd = { scope: { tenant: 'Not A Tenant', scope: '??' }, generation: 'x' } as never;
    await disk.lexical.apply(odd, [{ write: 'put', chunkId: theChunk('z', 'z'), text: 'z', language: 'en', attributes: {} }], 1n as never);
    expect(await repairing(process).repair.run(ORDER)).toMatchObject({ repaired: 1, after: { clean: true } });
    expect(await eventsOf(process)).toMatchObject([{ counts: [{ store: 'lexical', kind: 'extra', count: 1 }] }]);
    await process.runner.stop();
  });

  it('is refused while a rebuild or another repair runs', async () => {
    const world = await aWorld();
    const process = await running(world, emptyDisk());
    await expect(repairing(process, () => true).repair.run(ORDER)).rejects.toThrow('a rebuild is running');
    const { repair } = repairing(process);
    const first = repair.run(ORDER);
    await expect(repair.run(ORDER)).rejects.toThrow('a repair is already running');
    await first;
    expect((await repair.run(ORDER)).repaired).toBe(0);
    await process.runner.stop();
  });
});
