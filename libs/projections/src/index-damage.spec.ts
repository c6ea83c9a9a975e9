import { jest } from '@jest/globals';
import { pause } from '@palimpsest/foundation';
import { Corrupt } from '@palimpsest/knowledge/errors';
import { partitionKey } from '@palimpsest/knowledge/read-models';
import { Faults } from '@palimpsest/test-kit';
import { aProcess, aScenario, afterThe, emptyDisk, projected, type Disk } from '../test/fixture.ts';
import { stateOf } from '../test/read-model-state.ts';
import { MODELS } from '@palimpsest/test-kit/histories';
import type { LostPartition } from './lost-partitions.ts';
import type { Projected } from './read-model-runner.ts';

type Partition = Awaited<ReturnType<Disk['lexical']['partitions']>>[number];

const aWorld = async () => {
  const world = await aScenario();
  for (const name of ['a', 'b', 'c']) await world.scenario.indexed(name, { texts: ['apple', 'berry'] });
  return world;
};

/** Read models that have caught up, with an extra chunk in one partition. */
const withStray = async (world: Awaited<ReturnType<typeof aWorld>>): Promise<Readonly<{ disk: Disk; partition: Partition }>> => {
  const disk = await projected(world, emptyDisk());
  const [partition] = await disk.lexical.partitions();
  if (!partition) throw new Error('there is a partition');
  await disk.lexical.apply(
    partition,
    [{ write: 'put', chunkId: 'f'.repeat(32) as never, text: 'stray', language: 'en', attributes: {} }],
    await disk.lexical.position(partition),
  );
  return { disk, partition };
};

const entriesOf = async (disk: Disk, partition: Partition): Promise<readonly string[]> => {
  const ids: string[] = [];
  for await (const { chunkId } of disk.lexical.entries(partition)) ids.push(chunkId);
  return ids;
};

/** Kills the projection at its first write, at its second, and so on, until it completes; `look` checks the disk after each kill. */
const afterKills = async <D extends Readonly<{ disk: Disk; damaged?: Partition; damagedCatalog?: true }>>(
  world: Awaited<ReturnType<typeof aWorld>>,
  prepare: () => Promise<D>,
  look: (left: Disk, damaged: NonNullable<D['damaged']>) => Promise<void>,
): Promise<void> => {
  let kills = 0;
  for (let failAt = 1; ; failAt++) {
    const { disk, damaged, damagedCatalog } = await prepare();
    const faults = new Faults(failAt);
    const { runner, settled } = aProcess(world, disk, { faults, maxBatch: 4 });
    if (damaged) runner.indexDamaged('lexical', damaged, 'met before the start');
    if (damagedCatalog) runner.catalogDamaged('met before the start');
    runner.start();
    const end = await settled();
    await runner.stop().catch(() => undefined);
    if (end === 'caught up' && faults.calls < failAt) break;
    kills++;
    await look(afterThe('kill', disk), damaged as NonNullable<D['damaged']>);
  }
  expect(kills).toBeGreaterThan(5);
};

describe('Damage that an index finds after it was opened', () => {
  it('stops serving immediately; the partition is dropped and everything is projected again', async () => {
    const world = await aWorld();
    const { disk, partition } = await withStray(world);
    const { runner, settled, errors } = aProcess(world, disk);
    runner.start();
    await settled();
    while (!runner.serving()) await pause(1);
    runner.indexDamaged('lexical', partition, 'a byte was changed');
    expect(runner.serving()).toBe(false);
    expect(String(errors[0])).toContain(`the lexical index of ${partitionKey(partition)} is damaged and is rebuilt from the log`);
    while (!runner.serving()) await pause(1);
    expect(await runner.reached(await world.log.head(), 60_000)).toBe(true);
    await runner.stop();
    expect(await stateOf(disk)).toEqual(await stateOf(await projected(world, emptyDisk())));
    expect(await disk.checkpoints.get('read-models')).toBe(await world.log.head());
  });

  it('is repaired after a kill at any point: damaged files stay until the checkpoint requires a full projection', async () => {
    const world = await aWorld();
    const expected = await stateOf(await projected(world, emptyDisk()));
    await afterKills(
      world,
      async () => {
        const { disk, partition } = await withStray(world);
        return { disk, damaged: partition };
      },
      async (left, partition) => {
        // The next start finds the damaged files unless they were dropped.
        const stray = [...(await entriesOf(left, partition))].includes('f'.repeat(32));
        if (stray) await left.lexical.drop(partition);
        expect(await stateOf(await projected(world, left))).toEqual(expected);
      },
    );
  });

  it('is dropped later when dropping fails, and no search is served before', async () => {
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
    while (!runner.serving()) await pause(5);
    await runner.stop();
    expect([refusals, errors.map(String).filter((error) => error.includes('refuses')).length]).toEqual([2, 1]);
    expect(await stateOf(disk)).toEqual(await stateOf(await projected(world, emptyDisk())));
  });
});

/** Records each replay of the log from its start. */
const countingReplays = () => {
  const replays: unknown[] = [];
  const onProjected = ({ facts }: Projected): void =>
    void replays.push(...facts.filter(({ event }) => event.type === 'GenerationActivated'));
  return { replays, onProjected };
};

/** All partitions of both indexes, as damaged partitions. */
const allPartitions = async ({ vectors, lexical }: Disk): Promise<readonly LostPartition[]> => [
  ...(await vectors.partitions()).map((partition) => ({ index: 'vectors' as const, partition })),
  ...(await lexical.partitions()).map((partition) => ({ index: 'lexical' as const, partition })),
];

describe('Damage that the catalog finds', () => {
  it('stops serving immediately; it is emptied, and everything is projected again', async () => {
    const world = await aWorld();
    const disk = await projected(world, emptyDisk());
    const expected = await stateOf(disk);
    const resets = jest.spyOn(disk.catalog, 'reset');
    const { runner, errors } = aProcess(world, disk);
    runner.start();
    while (!runner.serving()) await pause(1);
    runner.catalogDamaged('page 3 of 9 was changed');
    expect(runner.serving()).toBe(false);
    while (!runner.serving()) await pause(1);
    await runner.stop();
    expect(errors.map(String)).toEqual(['Corrupt: the catalog is damaged and is rebuilt from the log: page 3 of 9 was changed']);
    expect(resets).toHaveBeenCalledTimes(1);
    expect(await stateOf(disk)).toEqual(expected);
  });

  it('is repaired after a kill at any point', async () => {
    const world = await aWorld();
    const expected = await stateOf(await projected(world, emptyDisk()));
    await afterKills(
      world,
      async () => ({ disk: await projected(world, emptyDisk()), damagedCatalog: true as const }),
      async (left) => {
        // The next start finds a catalog that is empty or still damaged.
        await left.catalog.reset();
        expect(await stateOf(await projected(world, left))).toEqual(expected);
      },
    );
  });
});

describe('Damage of several partitions that were not read at opening', () => {
  it('is searched for as soon as one is found, and all is repaired in one replay', async () => {
    const world = await aWorld();
    await world.scenario.generationStarted(MODELS[1] ?? MODELS[0]);
    await world.scenario.reembedded('a');
    const disk = await projected(world, emptyDisk());
    const damaged = await allPartitions(disk);
    expect(damaged).toHaveLength(4);
    const { replays, onProjected } = countingReplays();
    const checks: boolean[] = [];
    const { runner, errors } = aProcess(world, disk, {
      onProjected,
      checkIndexes: async ({ urgent }) => {
        checks.push(urgent);
        // The background check finds the first one; only the urgent check finds the others.
        for (const { index, partition } of urgent ? damaged.slice(1) : damaged.slice(0, 1))
          runner.indexDamaged(index, partition, 'a byte was changed');
      },
    });
    runner.start();
    while (checks.length < 2 || !runner.serving()) await pause(1);
    await runner.stop();
    expect(checks).toEqual([false, true]);
    expect(errors.map((error) => error instanceof Corrupt)).toEqual([true, true, true, true]);
    expect(replays).toHaveLength(1);
    expect(await stateOf(disk)).toEqual(await stateOf(await projected(world, emptyDisk())));
  });

  it('is searched for before a start that replays the whole log anyway', async () => {
    const world = await aWorld();
    const disk = await projected(world, emptyDisk());
    const [vectors, lexical] = await allPartitions(disk);
    if (!vectors || !lexical) throw new Error('there is one of each');
    await disk.vectors.drop(vectors.partition);
    const { replays, onProjected } = countingReplays();
    const { runner, settled } = aProcess(world, disk, {
      onProjected,
      checkIndexes: async ({ urgent }) => void (urgent && runner.indexDamaged(lexical.index, lexical.partition, 'a byte was changed')),
    });
    runner.start();
    await settled();
    while (!runner.serving()) await pause(1);
    await runner.stop();
    expect(replays).toHaveLength(1);
    expect(await stateOf(disk)).toEqual(await stateOf(await projected(world, emptyDisk())));
  });
});

describe('A rebuild of what is missing at the start', () => {
  it('restarts after a kill, however much was written', async () => {
    const world = await aWorld();
    const expected = await stateOf(await projected(world, emptyDisk()));
    await afterKills(
      world,
      async () => {
        const disk = await projected(world, emptyDisk());
        await disk.vectors.dropAll();
        return { disk };
      },
      async (left) => expect(await stateOf(await projected(world, left))).toEqual(expected),
    );
  });
});
