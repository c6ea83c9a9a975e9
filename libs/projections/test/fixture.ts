import { Journal } from '@palimpsest/contracts';
import type { Checkpoints, EventLog, FollowOptions } from '@palimpsest/knowledge';
import {
  Crash, Faults, InMemoryCatalog, InMemoryCheckpoints, InMemoryEventLog, InMemoryLexicalIndex, InMemoryScopeKeys, InMemoryVectorIndex, lexicalDigestInMemory, vectorDigestInMemory,
} from '@palimpsest/test-kit';
import { ReadModelRunner, type RunnerOptions } from '../src/read-model-runner.ts';
import type { ReadModelStores } from '../src/read-model-stores.ts';
import { Story } from './story.ts';

export const DIGESTS = { vector: vectorDigestInMemory, lexical: lexicalDigestInMemory };

/** What outlives a process. */
export type Disk = Readonly<{ catalog: InMemoryCatalog; vectors: InMemoryVectorIndex; lexical: InMemoryLexicalIndex; checkpoints: InMemoryCheckpoints }>;

export const emptyDisk = (): Disk => ({
  catalog: new InMemoryCatalog(), vectors: new InMemoryVectorIndex(), lexical: new InMemoryLexicalIndex(), checkpoints: new InMemoryCheckpoints(),
});

/** What is found after the end of a process: a kill loses nothing that was written, a power cut what was not flushed. */
export const afterThe = (end: 'kill' | 'power cut', { catalog, vectors, lexical, checkpoints }: Disk): Disk => ({
  catalog: catalog.reopened(), checkpoints: checkpoints.reopened(), vectors: new InMemoryVectorIndex(vectors.left(end)), lexical: new InMemoryLexicalIndex(lexical.left(end)),
});

/** The log of a scope, told by a story. */
export const aStory = async (): Promise<Readonly<{ story: Story; log: InMemoryEventLog; keys: InMemoryScopeKeys }>> => {
  const [log, keys] = [new InMemoryEventLog(), new InMemoryScopeKeys()];
  return { log, keys, story: await new Story(log, keys).begin() };
};

/** The same log, followed in batches of at most so many events. */
export const inBatches = (log: EventLog, maxBatch: number | undefined): EventLog =>
  maxBatch === undefined
    ? log
    : new Proxy(log, {
        get: (target, property) => {
          if (property === 'follow') return (options: FollowOptions) => target.follow({ ...options, maxBatch });
          const found: unknown = Reflect.get(target, property);
          return typeof found === 'function' ? (found.bind(target) as unknown) : found;
        },
      });

export type Process = Readonly<{
  runner: ReadModelRunner;
  stores: ReadModelStores & Required<Pick<ReadModelStores, 'vectors' | 'lexical'>>;
  checkpoints: Checkpoints;
  /** Resolves when everything on the log is projected, or the process crashed. */
  settled: () => Promise<'caught up' | 'crashed'>;
  errors: readonly unknown[];
}>;

/** A process that projects, on these stores; `faults` ends it where they say. */
export const aProcess = (
  { log, keys }: Readonly<{ log: EventLog; keys: InMemoryScopeKeys }>,
  disk: Disk,
  { faults = new Faults(), maxBatch, ...options }: Readonly<{ faults?: Faults; maxBatch?: number }> & Pick<RunnerOptions, 'checkIndexes' | 'onProjected'> = {},
): Process => {
  const stores = {
    journal: new Journal(inBatches(log, maxBatch)),
    keys,
    catalog: faults.wrap(disk.catalog, 'apply', 'reset'),
    vectors: faults.wrap(disk.vectors, 'apply', 'drop', 'dropAll', 'flush'),
    lexical: faults.wrap(disk.lexical, 'apply', 'drop', 'dropAll', 'flush'),
  };
  const checkpoints = faults.wrap(disk.checkpoints, 'set');
  const errors: unknown[] = [];
  let crashed: () => void = () => {};
  const crash = new Promise<'crashed'>((resolve) => (crashed = () => resolve('crashed')));
  const onError = (error: unknown): void => {
    errors.push(error);
    if (error instanceof Crash) crashed();
  };
  const runner = new ReadModelRunner(stores, { checkpoints, onError, flushEveryMs: 1, ...options });
  const settled = async (): Promise<'caught up' | 'crashed'> => {
    const reached = log.head().then((head) => runner.reached(head, 60_000)).then((done) => {
      if (!done) throw new Error(`stuck at ${runner.position()}: ${String(errors.at(-1))}`);
      return 'caught up' as const;
    });
    return Promise.race([crash, reached]);
  };
  return { runner, stores, checkpoints, settled, errors };
};

/** Projects the whole log onto these stores, and stops in good order. */
export const projected = async (world: Readonly<{ log: EventLog; keys: InMemoryScopeKeys }>, disk: Disk, maxBatch?: number): Promise<Disk> => {
  const process = aProcess(world, disk, maxBatch === undefined ? {} : { maxBatch });
  process.runner.start();
  await process.settled();
  await process.runner.stop();
  if (process.errors.length > 0) throw process.errors[0];
  return disk;
};
