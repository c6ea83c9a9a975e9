import { pause } from '@palimpsest/foundation';
import { Crash, Faults } from '@palimpsest/test-kit';
import { afterThe, aProcess, aScenario, DIGESTS, emptyDisk, projected, type Disk } from '../test/fixture.ts';
import { MODELS, OTHER_CHUNKING, type Scenario } from '@palimpsest/test-kit/histories';
import { stateOf } from '../test/read-model-state.ts';
import { VerifyReadModels } from './verification/verify-read-models.ts';

/** Every kind of change: new versions, A-B-A, labels, a switch to a second model that retires the first, declared languages. */
const runAll = async (scenario: Scenario): Promise<void> => {
  await scenario.indexed('a', { texts: ['apple', 'berry', 'cedar'] });
  await scenario.indexed('b', { texts: ['apple', 'dune'] });
  await scenario.indexed('d', { texts: ['apple', 'berry'], language: 'und' });
  await scenario.declared('de');
  await scenario.indexed('a', { texts: ['cedar', 'ember'] });
  await scenario.generationStarted(MODELS[1] ?? MODELS[0]);
  await scenario.indexed('a', { texts: ['apple', 'berry', 'cedar'] });
  await scenario.indexed('b', { texts: ['apple', 'dune'], label: 'x' });
  await scenario.indexed('c', { texts: ['fjord'], models: [MODELS[0]] });
  await scenario.reembedded('a');
  await scenario.reembedded('b');
  await scenario.reembedded('c');
  await scenario.reembedded('d');
  await scenario.declared('fr');
  const [first, second] = await scenario.generations();
  if (!first || !second) throw new Error('the scenario has two generations');
  await scenario.scope({ type: 'Activate', generation: second.id });
  await scenario.submitted('b', { texts: ['ember'] });
  await scenario.deleted('c');
  await scenario.scope({ type: 'Retire', generation: first.id });
  await scenario.completed('b', { texts: [] });
  await scenario.indexed('b', { texts: ['ember', 'dune'] });
  await scenario.indexed('c', { texts: ['fjord', 'apple'] });
};

let world: Awaited<ReturnType<typeof aScenario>>;
let expected: Awaited<ReturnType<typeof stateOf>>;
beforeAll(async () => {
  world = await aScenario();
  await runAll(world.scenario);
  expected = await stateOf(await projected(world, emptyDisk()));
}, 10_000);

/** Runs on the disk with a fault at the given call. Whether it crashed. */
const crashedAt = async (call: number, disk: Disk, maxBatch: number, of = world): Promise<boolean> => {
  const process = aProcess(of, disk, { faults: new Faults(call), maxBatch });
  process.runner.start();
  const how = await process.settled();
  await process.runner.stop().catch(() => undefined);
  return how === 'crashed';
};

const restarted = async (disk: Disk, maxBatch: number): Promise<void> =>
  expect(await stateOf(await projected(world, disk, maxBatch))).toEqual(expected);

describe('A projection that is killed at any call of any store', () => {
  it('uses a scenario with all stores, and expects what verify expects', async () => {
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
  ] as const)('reaches the same state after %s', async (_, end, before, after) => {
    let call = 1;
    for (let crashed = true; crashed; call++) {
      const disk = emptyDisk();
      crashed = await crashedAt(call, disk, before);
      await restarted(afterThe(end, disk), after);
    }
    expect(call).toBeGreaterThan(15);
  });

  it('reaches the same state when it is killed again during recovery', async () => {
    for (let call = 5; call < 45; call += 3) {
      let disk = emptyDisk();
      for (const [again, maxBatch] of [
        [call, 9],
        [7, 2],
        [4, 100],
      ] as const) {
        await crashedAt(again, disk, maxBatch);
        disk = afterThe('kill', disk);
      }
      await restarted(disk, 5);
    }
  });

  it('reaches the same state when it is killed while everything is projected again after damage', async () => {
    for (let call = 1; call < 12; call++) {
      const disk = await projected(world, emptyDisk());
      const process = aProcess(world, disk, { faults: new Faults(call), maxBatch: 7 });
      process.runner.start();
      await process.settled();
      process.runner.catalogDamaged('by the test');
      while (!process.runner.serving() && !process.errors.some((error) => error instanceof Crash)) await pause(1);
      await process.runner.stop().catch(() => undefined);
      await restarted(afterThe('kill', disk), 4);
    }
  });

  it.each(['catalog', 'vectors', 'lexical', 'checkpoints'] as const)('reaches the same state when its %s is lost', async (lost) => {
    const disk = await projected(world, emptyDisk());
    await restarted({ ...afterThe('kill', disk), [lost]: emptyDisk()[lost] }, 4);
  });

  it('reaches the same state when the catalog lost its latest transactions', async () => {
    const [disk, earlier] = [emptyDisk(), emptyDisk()];
    await crashedAt(31, earlier, 4);
    await projected(world, disk);
    expect((await earlier.catalog.position()) < (await disk.catalog.position())).toBe(true);
    await restarted({ ...disk, catalog: earlier.catalog }, 3);
  });

  it('writes nothing for a generation that started after a document and without it', async () => {
    const other = await aScenario();
    const { scenario } = other;
    await scenario.generationStarted(MODELS[0], OTHER_CHUNKING);
    await scenario.indexed('a', { texts: ['apple'] });
    await scenario.scope({ type: 'Cancel' });
    await scenario.generationStarted(MODELS[0], OTHER_CHUNKING);
    await scenario.failed('a');
    const whole = await stateOf(await projected(other, emptyDisk()));
    for (let [call, crashed] = [1, true]; crashed; call++) {
      const disk = emptyDisk();
      crashed = await crashedAt(call, disk, 6, other);
      expect(await stateOf(await projected(other, afterThe('kill', disk), 1))).toEqual(whole);
    }
  });
});
