import { describeReadModels, InMemorySharedVectors, type ReadModelsUnderTest } from '@palimpsest/test-kit';
import { aProcess, aScenario, emptyDisk } from '../test/fixture.ts';
import { ALL_SHARES, aReplica } from '../test/replica.ts';
import type { ReadModelRunner } from './read-model-runner.ts';
import type { ReadModelStores } from './read-model-stores.ts';
import { RebuildReadModels } from './rebuilds/rebuild-read-models.ts';

type World = Awaited<ReturnType<typeof aScenario>>;

const aWorld = async (): Promise<World> => {
  const world = await aScenario();
  for (const name of ['a', 'b', 'c']) await world.scenario.indexed(name, { texts: ['apple', 'berry'] });
  return world;
};

const underTest = ({ log, scenario }: World, runner: ReadModelRunner, stores: ReadModelStores, start: () => void): ReadModelsUnderTest => {
  let documents = 0;
  return {
    readModels: runner,
    start,
    head: () => log.head(),
    append: async () => {
      await scenario.indexed(`later ${documents++}`, { texts: ['cedar'] });
      return log.head();
    },
    rebuildInPlace: async () => void (await new RebuildReadModels(stores, runner, () => 0).run({ by: 'test' }, 60_000)),
    stop: () => runner.stop(),
  };
};

describeReadModels('ReadModelRunner', async () => {
  const world = await aWorld();
  const { runner, stores } = aProcess(world, emptyDisk());
  return underTest(world, runner, stores, () => runner.start());
});

describeReadModels('ReadModelRunner with small batches', async () => {
  const world = await aWorld();
  const { runner, stores } = aProcess(world, emptyDisk(), { maxBatch: 1 });
  return underTest(world, runner, stores, () => runner.start());
});

describeReadModels('ReadModelRunner with a shared vector index', async () => {
  const world = await aWorld();
  const replica = aReplica(world, new InMemorySharedVectors());
  return underTest(world, replica.runner, replica.stores, () => replica.start(ALL_SHARES));
});
