import { partitionKey } from '@palimpsest/knowledge';
import { Faults } from '@palimpsest/test-kit';
import { aProcess, aStory, afterThe, emptyDisk, projected, type Disk } from '../test/fixture.ts';
import { stateOf } from '../test/read-model-state.ts';

type Partition = Awaited<ReturnType<Disk['lexical']['partitions']>>[number];

const aWorld = async () => {
  const world = await aStory();
  for (const name of ['a', 'b', 'c']) await world.story.indexed(name, { texts: ['apple', 'berry'] });
  return world;
};

/** Read models that have caught up, one partition of which holds what it should not. */
const withStray = async (world: Awaited<ReturnType<typeof aWorld>>): Promise<Readonly<{ disk: Disk; partition: Partition }>> => {
  const disk = await projected(world, emptyDisk());
  const [partition] = await disk.lexical.partitions();
  if (!partition) throw new Error('there is a partition');
  await disk.lexical.apply(partition, [{ write: 'put', chunkId: 'f'.repeat(32) as never, text: 'stray', language: 'en', attributes: {} }], await disk.lexical.position(partition));
  return { disk, partition };
};


const entriesOf = async (disk: Disk, partition: Partition): Promise<readonly string[]> => {
  const ids: string[] = [];
  for await (const { chunkId } of disk.lexical.entries(partition)) ids.push(chunkId);
  return ids;
};

/** Kills the projection at its first write, at its second, and so on, until it comes to its end; `look` sees what each kill left. */
const afterKills = async <D extends Readonly<{ disk: Disk; damaged?: Partition }>>(world: Awaited<ReturnType<typeof aWorld>>, prepare: () => Promise<D>, look: (left: Disk, damaged: NonNullable<D['damaged']>) => Promise<void>): Promise<void> => {
  let kills = 0;
  for (let failAt = 1; ; failAt++) {
    const { disk, damaged } = await prepare();
    const faults = new Faults(failAt);
    const { runner, settled } = aProcess(world, disk, { faults, maxBatch: 4 });
    if (damaged) runner.indexDamaged('lexical', damaged, 'met before the start');
    runner.start();
    const end = await settled();
    await runner.stop().catch(() => undefined);
    if (end === 'caught up' && faults.calls < failAt) break;
    kills++;
    await look(afterThe('kill', disk), damaged as NonNullable<D['damaged']>);
  }
  expect(kills).toBeGreaterThan(5);
};

describe('damage that an index meets after it was opened', () => {
  it('ends serving at once; the partition is dropped and everything projected again', async () => {
    const world = await aWorld();
    const { disk, partition } = await withStray(world);
    const { runner, settled, errors } = aProcess(world, disk);
    runner.start();
    await settled();
    while (!runner.serving()) await new Promise((resolve) => setTimeout(resolve, 1));
    runner.indexDamaged('lexical', partition, 'a byte was changed');
    expect(runner.serving()).toBe(false);
    expect(String(errors[0])).toContain(`lexical of ${partitionKey(partition)} are damaged`);
    while (!runner.serving()) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(await runner.reached(await world.log.head(), 10_000)).toBe(true);
    await runner.stop();
    expect(await stateOf(disk)).toEqual(await stateOf(await projected(world, emptyDisk())));
    expect(await disk.checkpoints.get('read-models')).toBe(await world.log.head());
  });

  it('is made good after a kill, wherever it came: the damaged files stay until the checkpoint says that all is to be projected again', async () => {
    const world = await aWorld();
    const expected = await stateOf(await projected(world, emptyDisk()));
    await afterKills(world, async () => {
      const { disk, partition } = await withStray(world);
      return { disk, damaged: partition };
    }, async (left, partition) => {
      // What the damaged files are to the next start: it finds them as they are, unless they were dropped.
      const stray = [...(await entriesOf(left, partition))].includes('f'.repeat(32));
      if (stray) await left.lexical.drop(partition);
      expect(await stateOf(await projected(world, left))).toEqual(expected);
    });
  });

  it('is dropped later when dropping fails, and nobody is served before', async () => {
    const world = await aWorld();
    const { disk, partition } = await withStray(world);
    const drop = disk.lexical.drop.bind(disk.lexical);
    let refusals = 0;
    disk.lexical.drop = async (of) => {
      expect(runner.serving()).toBe(false);
      if (refusals++ === 0) throw new Error('the disk refuses');
      await drop(of);
    };
    const { runner, settled, errors } = aProcess(world, disk);
    runner.start();
    await settled();
    runner.indexDamaged('lexical', partition, 'a byte was changed');
    while (!runner.serving()) await new Promise((resolve) => setTimeout(resolve, 5));
    await runner.stop();
    expect([refusals, errors.map(String).filter((error) => error.includes('refuses')).length]).toEqual([2, 1]);
    expect(await stateOf(disk)).toEqual(await stateOf(await projected(world, emptyDisk())));
  });
});

describe('rebuilding what was found missing at the start', () => {
  it('is begun again after a kill, however much of it was written', async () => {
    const world = await aWorld();
    const expected = await stateOf(await projected(world, emptyDisk()));
    await afterKills(world, async () => {
      const disk = await projected(world, emptyDisk());
      await disk.vectors.dropAll();
      return { disk };
    }, async (left) => expect(await stateOf(await projected(world, left))).toEqual(expected));
  });
});
