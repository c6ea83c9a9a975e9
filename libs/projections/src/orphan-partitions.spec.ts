import { generationId, partitionKey, position, tenantId, vectorScope, type IndexPartition } from '@palimpsest/knowledge';
import { aProcess, aStory, emptyDisk, projected, type Disk } from '../test/fixture.ts';
import { stateOf } from '../test/read-model-state.ts';
import { MODELS, SCOPE } from '../test/story.ts';

const NOBODYS: IndexPartition = { scope: { tenant: tenantId('other'), scope: vectorScope('team:gone') }, generation: generationId('g3') };
const RETIRED: IndexPartition = { scope: SCOPE, generation: generationId('g1') };

/** A scope whose first generation was retired, whose second is active, and whose third is being built; and what a killed process left of others. */
const aWorld = async () => {
  const world = await aStory();
  for (const name of ['a', 'b']) await world.story.indexed(name, { texts: ['apple', 'berry'] });
  await world.story.generationStarted(MODELS[1] ?? MODELS[0]);
  for (const name of ['a', 'b']) await world.story.reembedded(name);
  const [g1, g2] = await world.story.generations();
  await world.story.scope({ type: 'Activate', generation: g2?.id as never });
  await world.story.scope({ type: 'Retire', generation: g1?.id as never });
  await world.story.generationStarted(MODELS[2] ?? MODELS[0]);
  await world.story.reembedded('a');
  return world;
};

const withOrphans = async (disk: Disk): Promise<Disk> => {
  for (const partition of [NOBODYS, RETIRED]) {
    await disk.vectors.apply(partition, [{ write: 'put', chunkId: 'f'.repeat(32) as never, vector: Float32Array.of(1, 0, 0, 0, 0, 0, 0, 0), attributes: {} }], position(5n));
    await disk.lexical.apply(partition, [{ write: 'put', chunkId: 'f'.repeat(32) as never, text: 'stray', language: 'en', attributes: {} }], position(5n));
  }
  return disk;
};

const keysOf = async (disk: Disk): Promise<readonly string[]> =>
  [...(await disk.vectors.partitions()), ...(await disk.lexical.partitions())].map(partitionKey).sort();

/** Until the check that follows the tidying. */
const started = async (world: Awaited<ReturnType<typeof aWorld>>, disk: Disk) => {
  let tidied: () => void = () => {};
  const tidy = new Promise<void>((resolve) => (tidied = resolve));
  const process = aProcess(world, disk, { checkIndexes: async () => tidied() });
  process.runner.start();
  await tidy;
  return process;
};

describe('partitions of the indexes that no live generation has', () => {
  it('are dropped at the start, and those of generations that are active or being built are not', async () => {
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

  it('are dropped only where the catalogue has caught up: a generation of which it knew nothing keeps what is there', async () => {
    const world = await aStory();
    await world.story.indexed('a', { texts: ['apple'] });
    const disk = await projected(world, emptyDisk());
    // A power cut took back what the catalogue had of the second generation; its partition is there.
    await world.story.generationStarted(MODELS[1] ?? MODELS[0]);
    await world.story.reembedded('a');
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
