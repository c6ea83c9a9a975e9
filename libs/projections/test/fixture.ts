import type { Checkpoints, EventLog } from '@palimpsest/knowledge/ports';
import {
  aJournal,
  TEST_KEYS,
  Crash,
  Faults,
  InMemoryCatalog,
  InMemoryCheckpoints,
  InMemoryEventLog,
  InMemoryLexicalIndex,
  type InMemoryScopeKeys,
  InMemoryVectorIndex,
  lexicalDigestInMemory,
  vectorDigestInMemory,
} from '@palimpsest/test-kit';
import { ReadModelRunner, type RunnerOptions } from '../src/read-model-runner.ts';
import type { ReadModelStores } from '../src/read-model-stores.ts';
import { inBatches, Scenario } from '@palimpsest/test-kit/histories';

export const DIGESTS = { vector: vectorDigestInMemory, lexical: lexicalDigestInMemory };

/** The stores that survive a process. */
export type Disk = Readonly<{
  catalog: InMemoryCatalog;
  vectors: InMemoryVectorIndex;
  lexical: InMemoryLexicalIndex;
  checkpoints: InMemoryCheckpoints;
}>;

export const emptyDisk = (): Disk => ({
  catalog: new InMemoryCatalog(),
  vectors: new InMemoryVectorIndex(),
  lexical: new InMemoryLexicalIndex(),
  checkpoints: new InMemoryCheckpoints(),
});

/** The stores after the end of a process: a kill loses nothing that was written, a power cut loses what was not flushed. */
export const afterThe = (end: 'kill' | 'power cut', { catalog, vectors, lexical, checkpoints }: Disk): Disk => ({
  catalog: catalog.reopened(),
  checkpoints: checkpoints.reopened(),
  vectors: new InMemoryVectorIndex(vectors.left(end)),
  lexical: new InMemoryLexicalIndex(lexical.left(end)),
});

/** An event log with the scenario that writes it. */
export const aScenario = async (): Promise<Readonly<{ scenario: Scenario; log: InMemoryEventLog; keys: InMemoryScopeKeys }>> => {
  const [log, keys] = [new InMemoryEventLog(), TEST_KEYS];
  return { log, keys, scenario: await new Scenario(log, keys).begin() };
};

export type Process = Readonly<{
  runner: ReadModelRunner;
  stores: ReadModelStores & Required<Pick<ReadModelStores, 'vectors' | 'lexical'>>;
  checkpoints: Checkpoints;
  /** Resolves when everything on the log is projected, or the process crashed. */
  settled: () => Promise<'caught up' | 'crashed'>;
  errors: readonly unknown[];
}>;

/** A projecting process on these stores; `faults` can crash it. */
export const aProcess = (
  { log, keys }: Readonly<{ log: EventLog; keys: InMemoryScopeKeys }>,
  disk: Disk,
  {
    faults = new Faults(),
    maxBatch,
    ...options
  }: Readonly<{ faults?: Faults; maxBatch?: number }> & Pick<RunnerOptions, 'checkIndexes' | 'onProjected' | 'system'> = {},
): Process => {
  const stores = {
    journal: aJournal(inBatches(log, maxBatch), keys),
    keys,
    catalog: faults.wrap(disk.catalog, 'apply', 'reset', 'replaceScopes', 'replaceRows'),
    vectors: faults.wrap(disk.vectors, 'apply', 'adopt', 'drop', 'dropAll', 'flush'),
    lexical: faults.wrap(disk.lexical, 'apply', 'adopt', 'drop', 'dropAll', 'flush'),
  };
  const checkpoints = faults.wrap(disk.checkpoints, 'set');
  const errors: unknown[] = [];
  let crashed: () => void = () => {};
  const crash = new Promise<'crashed'>((resolve) => (crashed = () => resolve('crashed')));
  const onError = (error: unknown): void => {
    // Not a failure: it says why everything is projected again.
    if (!String(error).includes('was removed from the log')) errors.push(error);
    if (error instanceof Crash) crashed();
  };
  const runner = new ReadModelRunner(stores, { checkpoints, onError, flushEveryMs: 1, ...options });
  const settled = async (): Promise<'caught up' | 'crashed'> => {
    const reached = log
      .head()
      .then((head) => runner.reached(head, 60_000))
      .then((done) => {
        if (!done) throw new Error(`stuck at ${runner.position()}: ${String(errors.at(-1))}`);
        return 'caught up' as const;
      });
    return Promise.race([crash, reached]);
  };
  return { runner, stores, checkpoints, settled, errors };
};

/** Projects the whole log onto these stores, and stops cleanly. */
export const projected = async (
  world: Readonly<{ log: EventLog; keys: InMemoryScopeKeys }>,
  disk: Disk,
  maxBatch?: number,
): Promise<Disk> => {
  const process = aProcess(world, disk, maxBatch === undefined ? {} : { maxBatch });
  process.runner.start();
  await process.settled();
  await process.runner.stop();
  if (process.errors.length > 0) throw process.errors[0];
  return disk;
};
