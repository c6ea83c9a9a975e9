import { START } from '@palimpsest/knowledge';
import { aProcess, aStory, emptyDisk, projected, afterThe } from '../test/fixture.ts';
import { stateOf } from '../test/read-model-state.ts';
import { RebuildReadModels } from './rebuild-read-models.ts';

const aWorldWith = async (...names: readonly string[]) => {
  const world = await aStory();
  for (const name of names) await world.story.indexed(name, { texts: ['apple', 'berry'] });
  return world;
};

describe('the runner', () => {
  it('serves once it has caught up, and tells how far it is', async () => {
    const world = await aWorldWith('a');
    const { runner, settled } = aProcess(world, emptyDisk());
    expect([runner.serving(), runner.position()]).toEqual([false, START]);
    runner.start();
    await settled();
    expect([runner.serving(), runner.position(), runner.failure()]).toEqual([true, await world.log.head(), undefined]);
    expect(await runner.progress()).toEqual(['catalog', 'vectors', 'lexical'].map((name) => ({ name, position: runner.position() })));
    await runner.stop();
  });

  it('lets a caller wait for its own write, but not longer than it wants to', async () => {
    const world = await aWorldWith('a');
    const { runner, settled } = aProcess(world, emptyDisk());
    runner.start();
    await settled();
    await world.story.indexed('b', { texts: ['cedar'] });
    expect(await runner.reached(await world.log.head(), 60_000)).toBe(true);
    expect(await runner.reached(((await world.log.head()) + 1n) as never, 5)).toBe(false);
    const waiting = runner.reached(((await world.log.head()) + 1n) as never, 60_000);
    await runner.stop();
    expect(await waiting).toBe(false);
  });

  it('reads nothing again after it was stopped in good order', async () => {
    const world = await aWorldWith('a', 'b');
    const disk = await projected(world, emptyDisk());
    expect(await disk.checkpoints.get('read-models')).toBe(await world.log.head());
    expect(await disk.catalog.position()).toBe(await world.log.head());
  });

  it('projects what failed once the fault is over, without ever ceasing to serve', async () => {
    const world = await aWorldWith('a');
    const disk = emptyDisk();
    let broken = false;
    const apply = disk.vectors.apply.bind(disk.vectors);
    disk.vectors.apply = async (...call) => {
      if (broken) throw new Error('no space left');
      return apply(...call);
    };
    const { runner, settled, errors } = aProcess(world, disk);
    runner.start();
    await settled();
    broken = true;
    await world.story.indexed('b', { texts: ['cedar'] });
    while (runner.failure() === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
    expect([runner.serving(), String(errors[0])]).toEqual([true, 'Error: no space left']);
    broken = false;
    expect(await runner.reached(await world.log.head(), 60_000)).toBe(true);
    expect(runner.failure()).toBeUndefined();
    await runner.stop();
    expect(await stateOf(disk)).toEqual(await stateOf(await projected(world, emptyDisk())));
  });

  it('stands still while other work needs it to, one piece of work after the other', async () => {
    const world = await aWorldWith('a');
    const { runner, settled } = aProcess(world, emptyDisk());
    runner.start();
    await settled();
    const before = runner.position();
    let inside = 0;
    const work = async (): Promise<void> => {
      expect(++inside).toBe(1);
      await world.story.indexed('b', { texts: [`text ${Math.random()}`] });
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(runner.position()).toBe(before);
      inside--;
    };
    await Promise.all([runner.whilePaused(work), runner.whilePaused(() => Promise.reject(new Error('the work fails'))).catch(() => {})]);
    expect(await runner.reached(await world.log.head(), 60_000)).toBe(true);
    expect(runner.serving()).toBe(true);
    await runner.stop();
  });

  it('stays stopped when it was stopped while it stood still', async () => {
    const world = await aWorldWith('a');
    const { runner, settled } = aProcess(world, emptyDisk());
    runner.start();
    await settled();
    await runner.whilePaused(() => runner.stop());
    const before = runner.position();
    await world.story.indexed('b', { texts: ['cedar'] });
    expect(await runner.reached(await world.log.head(), 20)).toBe(false);
    expect(runner.position()).toBe(before);
  });

  it('does not serve after a restart until it has written again what a crash may have left half done', async () => {
    const world = await aWorldWith('a');
    const disk = await projected(world, emptyDisk());
    await world.story.indexed('b', { texts: ['cedar'] });
    const { runner, settled } = aProcess(world, afterThe('power cut', disk));
    runner.start();
    expect(runner.serving()).toBe(false);
    await settled();
    expect(runner.serving()).toBe(true);
    await runner.stop();
  });
});

describe('rebuilding', () => {
  it('drops everything, orphans too, fills it again from the log, and says how much there was', async () => {
    const world = await aWorldWith('a', 'b');
    const disk = await projected(world, emptyDisk());
    const expected = await stateOf(disk);
    const [partition] = await disk.vectors.partitions();
    if (!partition) throw new Error('there is a partition');
    const stray = 'f'.repeat(32) as never;
    await disk.lexical.apply(partition, [{ write: 'put', chunkId: stray, text: 'stray', language: 'en', attributes: {} }], 1_000_000n as never);

    const { runner, stores, settled } = aProcess(world, disk);
    runner.start();
    await settled();
    let calls = 7;
    expect(await new RebuildReadModels(stores, runner, () => calls).run()).toMatchObject({ position: await world.log.head(), documents: 2, chunks: 4, embeddingCalls: 0 });
    expect(await new RebuildReadModels(stores, runner, () => calls++).run()).toMatchObject({ embeddingCalls: 1 });
    await runner.stop();
    expect(await stateOf(disk)).toEqual(expected);
  });
});
