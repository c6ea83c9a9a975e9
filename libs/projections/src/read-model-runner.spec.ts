import { pause } from '@palimpsest/foundation';
import { START } from '@palimpsest/knowledge/values';
import { aProcess, aScenario, emptyDisk, projected, afterThe } from '../test/fixture.ts';
import { stateOf } from '../test/read-model-state.ts';

const aWorldWith = async (...names: readonly string[]) => {
  const world = await aScenario();
  for (const name of names) await world.scenario.indexed(name, { texts: ['apple', 'berry'] });
  return world;
};

describe('The runner', () => {
  it('serves once it has caught up, and reports its position', async () => {
    const world = await aWorldWith('a');
    const { runner, settled } = aProcess(world, emptyDisk());
    expect([runner.serving(), runner.position()]).toEqual([false, START]);
    runner.start();
    await settled();
    expect([runner.serving(), runner.position(), runner.failure()]).toEqual([true, await world.log.head(), undefined]);
    expect(await runner.progress()).toEqual(['catalog', 'vectors', 'lexical'].map((name) => ({ name, position: runner.position() })));
    await runner.stop();
  });

  it('lets a caller wait for its own write, up to a timeout', async () => {
    const world = await aWorldWith('a');
    const { runner, settled } = aProcess(world, emptyDisk());
    runner.start();
    await settled();
    await world.scenario.indexed('b', { texts: ['cedar'] });
    expect(await runner.reached(await world.log.head(), 60_000)).toBe(true);
    expect(await runner.reached(((await world.log.head()) + 1n) as never, 5)).toBe(false);
    const waiting = runner.reached(((await world.log.head()) + 1n) as never, 60_000);
    await runner.stop();
    expect(await waiting).toBe(false);
  });

  it('reads nothing again after a clean stop', async () => {
    const world = await aWorldWith('a', 'b');
    const disk = await projected(world, emptyDisk());
    expect(await disk.checkpoints.get('read-models')).toBe(await world.log.head());
    expect(await disk.catalog.position()).toBe(await world.log.head());
  });

  it('keeps serving if it cannot record a position up to which nothing concerns it, and records it later', async () => {
    const world = await aWorldWith('a');
    const disk = emptyDisk();
    const apply = disk.catalog.apply.bind(disk.catalog);
    let full = false;
    disk.catalog.apply = async (...call) => {
      if (full) throw new Error('no space left');
      return apply(...call);
    };
    const { runner, settled } = aProcess(world, disk);
    runner.start();
    await settled();
    const before = await disk.catalog.position();
    full = true;
    await world.log.append('unrelated' as never, [{ id: 'x', type: 'Unrelated', data: {}, metadata: {} }], 'no-stream');
    expect(await runner.reached(await world.log.head(), 60_000)).toBe(true);
    expect([runner.serving(), runner.failure(), await disk.catalog.position()]).toEqual([true, undefined, before]);
    full = false;
    await world.scenario.indexed('b', { texts: ['cedar'] });
    expect(await runner.reached(await world.log.head(), 60_000)).toBe(true);
    expect(await disk.catalog.position()).toBe(await world.log.head());
    await runner.stop();
  });

  it('projects a failed batch once the fault is over, and serves all the time', async () => {
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
    await world.scenario.indexed('b', { texts: ['cedar'] });
    while (runner.failure() === undefined) await pause(5);
    expect([runner.serving(), String(errors[0])]).toEqual([true, 'Error: no space left']);
    broken = false;
    expect(await runner.reached(await world.log.head(), 60_000)).toBe(true);
    expect(runner.failure()).toBeUndefined();
    await runner.stop();
    expect(await stateOf(disk)).toEqual(await stateOf(await projected(world, emptyDisk())));
  });

  it('pauses for other work, which runs sequentially', async () => {
    const world = await aWorldWith('a');
    const { runner, settled } = aProcess(world, emptyDisk());
    runner.start();
    await settled();
    const before = runner.position();
    let inside = 0;
    const work = async (): Promise<void> => {
      expect(++inside).toBe(1);
      await world.scenario.indexed('b', { texts: [`text ${Math.random()}`] });
      await pause(5);
      expect(runner.position()).toBe(before);
      inside--;
    };
    await Promise.all([runner.whilePaused(work), runner.whilePaused(() => Promise.reject(new Error('the work fails'))).catch(() => {})]);
    expect(await runner.reached(await world.log.head(), 60_000)).toBe(true);
    expect(runner.serving()).toBe(true);
    await runner.stop();
  });

  it('stays stopped if it was stopped while paused', async () => {
    const world = await aWorldWith('a');
    const { runner, settled } = aProcess(world, emptyDisk());
    runner.start();
    await settled();
    await runner.whilePaused(() => runner.stop());
    const before = runner.position();
    await world.scenario.indexed('b', { texts: ['cedar'] });
    expect(await runner.reached(await world.log.head(), 20)).toBe(false);
    expect(runner.position()).toBe(before);
  });

  it('does not serve after a restart until it has repeated writes that a crash may have interrupted', async () => {
    const world = await aWorldWith('a');
    const disk = await projected(world, emptyDisk());
    await world.scenario.indexed('b', { texts: ['cedar'] });
    const { runner, settled } = aProcess(world, afterThe('power cut', disk));
    runner.start();
    expect(runner.serving()).toBe(false);
    await settled();
    expect(runner.serving()).toBe(true);
    await runner.stop();
  });
});
