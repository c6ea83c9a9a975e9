import { Faults } from '@palimpsest/test-kit';
import { afterThe, aProcess, aStory, DIGESTS, emptyDisk, projected, type Disk } from '../test/fixture.ts';
import { stateOf } from '../test/read-model-state.ts';
import { MODELS, type Story } from '../test/story.ts';
import { RebuildReadModels } from './rebuild-read-models.ts';
import { VerifyReadModels } from './verify-read-models.ts';

/** A life with everything in it: changes, A-B-A, labels, a second model that is filled, switched to and left with the first retired, a text without a language and declarations of one. */
const tellAll = async (story: Story): Promise<void> => {
  await story.indexed('a', { texts: ['apple', 'berry', 'cedar'] });
  await story.indexed('b', { texts: ['apple', 'dune'] });
  await story.indexed('d', { texts: ['apple', 'berry'], language: 'und' });
  await story.declared('de');
  await story.indexed('a', { texts: ['cedar', 'ember'] });
  await story.generationStarted(MODELS[1] ?? MODELS[0]);
  await story.indexed('a', { texts: ['apple', 'berry', 'cedar'] });
  await story.indexed('b', { texts: ['apple', 'dune'], label: 'x' });
  await story.indexed('c', { texts: ['fjord'], models: [MODELS[0]] });
  await story.reembedded('a');
  await story.reembedded('b');
  await story.reembedded('c');
  await story.reembedded('d');
  await story.declared('fr');
  const [first, second] = await story.generations();
  if (!first || !second) throw new Error('the story has two generations');
  await story.scope({ type: 'Activate', generation: second.id });
  await story.submitted('b', { texts: ['ember'] });
  await story.deleted('c');
  await story.scope({ type: 'Retire', generation: first.id });
  await story.completed('b', { texts: [] });
  await story.indexed('b', { texts: ['ember', 'dune'] });
  await story.indexed('c', { texts: ['fjord', 'apple'] });
};

let world: Awaited<ReturnType<typeof aStory>>;
let expected: Awaited<ReturnType<typeof stateOf>>;
beforeAll(async () => {
  world = await aStory();
  await tellAll(world.story);
  expected = await stateOf(await projected(world, emptyDisk()));
}, 10_000);

/** Runs until it crashes; what is left on the disk. Undefined when it came to the end. */
const crashedAt = async (call: number, disk: Disk, maxBatch: number): Promise<boolean> => {
  const process = aProcess(world, disk, { faults: new Faults(call), maxBatch });
  process.runner.start();
  const how = await process.settled();
  await process.runner.stop().catch(() => undefined);
  return how === 'crashed';
};

const restarted = async (disk: Disk, maxBatch: number): Promise<void> =>
  expect(await stateOf(await projected(world, disk, maxBatch))).toEqual(expected);

describe('a projection that is killed at any call of any store', () => {
  it('tells a story worth it, and what it expects is what verify expects', async () => {
    const process = aProcess(world, await projected(world, emptyDisk()));
    process.runner.start();
    expect(await new VerifyReadModels(process.stores, process.runner, DIGESTS).run()).toMatchObject({ clean: true, differences: [] });
    await process.runner.stop();
    expect(Object.keys(expected.vectors)).toEqual(['acme/team:red/g2']);
    expect(expected.hashes).toHaveLength(9);
  });

  it.each([
    ['a kill', 'kill', 12, 5],
    ['a kill, in smaller batches', 'kill', 100, 2],
    ['a power cut', 'power cut', 12, 5],
  ] as const)('comes to the same end after %s', async (_, end, before, after) => {
    let call = 1;
    for (let crashed = true; crashed; call++) {
      const disk = emptyDisk();
      crashed = await crashedAt(call, disk, before);
      await restarted(afterThe(end, disk), after);
    }
    expect(call).toBeGreaterThan(15);
  });

  it('comes to the same end when it is killed again on its way back', async () => {
    for (let call = 5; call < 45; call += 3) {
      let disk = emptyDisk();
      for (const [again, maxBatch] of [[call, 9], [7, 2], [4, 100]] as const) {
        await crashedAt(again, disk, maxBatch);
        disk = afterThe('kill', disk);
      }
      await restarted(disk, 5);
    }
  });

  it('comes to the same end when it is killed while it rebuilds', async () => {
    for (let call = 1; call < 12; call++) {
      const disk = await projected(world, emptyDisk());
      const process = aProcess(world, disk, { faults: new Faults(call), maxBatch: 7 });
      process.runner.start();
      await process.settled();
      await Promise.race([new RebuildReadModels(process.stores, process.runner, () => 0).run(20).catch(() => undefined), process.settled()]);
      await process.runner.stop().catch(() => undefined);
      await restarted(afterThe('kill', disk), 4);
    }
  });

  it.each(['catalog', 'vectors', 'lexical', 'checkpoints'] as const)('comes to the same end when its %s is gone', async (lost) => {
    const disk = await projected(world, emptyDisk());
    await restarted({ ...afterThe('kill', disk), [lost]: emptyDisk()[lost] }, 4);
  });

  it('comes to the same end when the catalogue has lost its latest transactions', async () => {
    const [disk, earlier] = [emptyDisk(), emptyDisk()];
    await crashedAt(31, earlier, 4);
    await projected(world, disk);
    expect((await earlier.catalog.position()) < (await disk.catalog.position())).toBe(true);
    await restarted({ ...disk, catalog: earlier.catalog }, 3);
  });
});
