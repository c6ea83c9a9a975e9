import { partitionKey, type IndexPartition } from '@palimpsest/knowledge/read-models';
import { generationId, position, tenantId, vectorScope } from '@palimpsest/knowledge/values';
import { aProcess, aScenario, emptyDisk, projected, type Disk } from '../test/fixture.ts';
import { stateOf } from '../test/read-model-state.ts';
import { MODELS, SCOPE } from '@palimpsest/test-kit/histories';

const ORPHANED: IndexPartition = { scope: { tenant: tenantId('other'), scope: vectorScope('team:gone') }, generation: generationId('g3') };
const RETIRED: IndexPartition = { scope: SCOPE, generation: generationId('g1') };

/** A scope with a retired, an active and a building generation, plus partitions that a killed process left behind. */
const aWorld = async () => {
  const world = await aScenario();
  for (const name of ['a', 'b']) await world.scenario.indexed(name, { texts: ['apple', 'berry'] });
  await world.scenario.generationStarted(MODELS[1] ?? MODELS[0]);
  for (const name of ['a', 'b']) await world.scenario.reembedded(name);
  const [g1, g2] = await world.scenario.generations();
  await world.scenario.scope({ type: 'Activate', generation: g2?.id as never });
  await world.scenario.scope({ type: 'Retire', generation: g1?.id as never });
  await world.scenario.generationStarted(MODELS[2] ?? MODELS[0]);
  await world.scenario.reembedded('a');
  return world;
};

const withOrphans = async (disk: Disk): Promise<Disk> => {
  for (const partition of [ORPHANED, RETIRED]) {
    await disk.vectors.apply(
      partition,
      [{ write: 'put', chunkId: 'f'.repeat(32) as never, vector: Float32Array.of(1, 0, 0, 0, 0, 0, 0, 0), attributes: {} }],
      position(5n),
    );
    await disk.lexical.apply(
      partition,
      [{ write: 'put', chunkId: 'f'.repeat(32) as never, text: 'stray', language: 'en', attributes: {} }],
      position(5n),
    );
  }
  return disk;
};

const keysOf = async (disk: Disk): Promise<readonly string[]> =>
  [...(await disk.vectors.partitions()), ...(await disk.lexical.partitions())].map(partitionKey).sort();

/** Resolves at the index check that follows the cleanup. */
const started = async (world: Awaited<ReturnType<typeof aWorld>>, disk: Disk) => {
  let cleaned: () => void = () => {};
  const cleanup = new Promise<void>((resolve) => (cleaned = resolve));
  const process = aProcess(world, disk, { checkIndexes: async () => cleaned() });
  process.runner.start();
  await cleanup;
  return process;
};

describe('Index partitions without a live generation', () => {
  it('are dropped at the start; those of active and building generations are kept', async () => {
    const world = await aWorld();
    const expected = await projected(world, emptyDisk());
    const disk = await withOrphans(await projected(world, emptyDisk()));
    expect(await keysOf(disk)).toHaveLength((await keysOf(expected)).length + 4);
    const { runner, errors } = await started(world, disk);
    expect(await keysOf(disk)).toEqual(await keysOf(expected));
    await runner.stop();
    expect(errors).toEqual([]);
    expect(await stateOf(disk)).toEqual(await stateOf(expected));
  });

  it('are dropped only after the catalog has caught up: a generation that it does not know yet keeps its partition', async () => {
    const world = await aScenario();
    await world.scenario.indexed('a', { texts: ['apple'] });
    const disk = await projected(world, emptyDisk());
    // A power cut lost the second generation in the catalog; its partition still exists.
    await world.scenario.generationStarted(MODELS[1] ?? MODELS[0]);
    await world.scenario.reembedded('a');
    const ahead = await projected(world, emptyDisk());
    const left = { ...ahead, catalog: disk.catalog, checkpoints: disk.checkpoints };
    const drops: string[] = [];
    const drop = left.vectors.drop.bind(left.vectors);
    left.vectors.drop = async (partition) => (drops.push(partitionKey(partition)), drop(partition));
    const { runner } = await started(world, left);
    await runner.stop();
    expect(drops).toEqual([]);
    expect(await stateOf(left)).toEqual(await stateOf(await projected(world, emptyDisk())));
  });
});
