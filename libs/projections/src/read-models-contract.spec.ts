import { describeReadModels, type ReadModelsUnderTest } from '@palimpsest/test-kit';
import { aProcess, aScenario, emptyDisk } from '../test/fixture.ts';
import { ALL_SHARES, aReplica, SHARED } from '../test/replica.ts';
import type { ReadModelRunner } from './read-model-runner.ts';

type World = Awaited<ReturnType<typeof aScenario>>;

const aWorld = async (): Promise<World> => {
  const world = await aScenario();
  for (const name of ['a', 'b', 'c']) await world.scenario.indexed(name, { texts: ['apple', 'berry'] });
  return world;
};

const underTest = ({ log, scenario }: World, runner: ReadModelRunner, start: () => void): ReadModelsUnderTest => {
  let documents = 0;
  return {
    readModels: runner,
    start,
    head: () => log.head(),
    append: async () => {
      await scenario.indexed(`later ${documents++}`, { texts: ['cedar'] });
      return log.head();
    },
    damage: () => runner.catalogDamaged('by the test'),
    stop: () => runner.stop(),
  };
};

describeReadModels('ReadModelRunner', async () => {
  const world = await aWorld();
  const { runner } = aProcess(world, emptyDisk());
  return underTest(world, runner, () => runner.start());
});

describeReadModels('ReadModelRunner with small batches', async () => {
  const world = await aWorld();
  const { runner } = aProcess(world, emptyDisk(), { maxBatch: 1 });
  return underTest(world, runner, () => runner.start());
});

describeReadModels('ReadModelRunner with a shared vector index', async () => {
  const world = await aWorld();
  const replica = aReplica(world, SHARED.vectors());
  return underTest(world, replica.runner, () => replica.start(ALL_SHARES));
});
