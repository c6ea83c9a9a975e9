import { RebuildReadModels } from '../src/rebuilds/rebuild-read-models.ts';
import { Exchangeable } from '../src/views/exchangeable.ts';
import type { SetAlongside } from '../src/views/set-alongside.ts';
import { aProcess, emptyDisk, projected, type aScenario, type Disk } from './fixture.ts';

/** A process that can open second sets, the status of each, and of those opened before it (`besides`). */
export const anExchangingProcess = async (
  world: Pick<Awaited<ReturnType<typeof aScenario>>, 'log' | 'keys'>,
  change: (disk: Disk) => void = () => {},
  options: Parameters<typeof aProcess>[2] = {},
) => {
  const first = await projected(world, emptyDisk());
  const { catalog, vectors, lexical } = {
    catalog: new Exchangeable(first.catalog),
    vectors: new Exchangeable(first.vectors),
    lexical: new Exchangeable(first.lexical),
  };
  const disk: Disk = { catalog: catalog.port, vectors: vectors.port, lexical: lexical.port, checkpoints: first.checkpoints };
  const opened: { state: 'open' | 'current' | 'discarded'; besides: readonly string[]; disk: Disk }[] = [];
  const alongside = async (): Promise<SetAlongside> => {
    const one: (typeof opened)[number] = { state: 'open', besides: opened.map(({ state }) => state), disk: emptyDisk() };
    change(one.disk);
    opened.push(one);
    return {
      ...one.disk,
      exchange: async () => {
        void Promise.all([catalog.exchange(one.disk.catalog), vectors.exchange(one.disk.vectors), lexical.exchange(one.disk.lexical)]);
        one.state = 'current';
      },
      discard: async () => void (one.state = 'discarded'),
    };
  };
  const process = aProcess(world, disk, options);
  process.runner.start();
  await process.settled();
  const rebuildCounting = (embeddingCalls: () => number) =>
    new RebuildReadModels({ ...process.stores, alongside }, process.runner, embeddingCalls);
  return { ...process, disk, opened, rebuildCounting, rebuild: rebuildCounting(() => 0) };
};
