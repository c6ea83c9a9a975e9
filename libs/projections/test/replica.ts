import type { EventLog } from '@palimpsest/knowledge/ports';
import {
  aJournal,
  Faults,
  InMemoryCatalog,
  InMemoryCheckpoints,
  InMemoryLexicalIndex,
  type InMemoryScopeKeys,
  InMemorySharedVectors,
  InMemorySharedWords,
} from '@palimpsest/test-kit';
import { removalsOnTheLog } from '../src/removals-between.ts';
import { ReadModelRunner, type RunnerOptions } from '../src/read-model-runner.ts';
import { SharedIndexWriter } from '../src/shared-index-writer.ts';

export const SHARES = 4;
export const ALL_SHARES = [0, 1, 2, 3];

/** What replicas share: the vectors, and the words if they are in the same store. */
export type SharedStores = Readonly<{ vectors: InMemorySharedVectors; words?: InMemorySharedWords }>;
export const SHARED = {
  vectors: (): SharedStores => ({ vectors: new InMemorySharedVectors() }),
  'vectors and words': (): SharedStores => ({ vectors: new InMemorySharedVectors(), words: new InMemorySharedWords() }),
};

/** The stores that a replica does not share. */
export const ownState = () => ({
  catalog: new InMemoryCatalog(),
  lexical: new InMemoryLexicalIndex(),
  checkpoints: new InMemoryCheckpoints(),
});
export type OwnState = ReturnType<typeof ownState>;

/** One of several query processes with shared vectors. With shared words, `own.lexical` is what they see of them. */
export const aReplica = (
  { log, keys }: Readonly<{ log: EventLog; keys: InMemoryScopeKeys }>,
  { vectors: sharedVectors, words }: SharedStores,
  state: OwnState = ownState(),
  faults = new Faults(),
  options: Partial<RunnerOptions> = {},
) => {
  const journal = aJournal(log, keys);
  const own = words ? { ...state, lexical: words } : state;
  const catalog = faults.wrap(own.catalog, 'apply', 'reset');
  const vectors = sharedVectors.index;
  const writer = new SharedIndexWriter(
    {
      vectors: faults.wrap(sharedVectors.another(), 'put', 'remove', 'advance'),
      ...(words ? { lexical: faults.wrap(words, 'put', 'remove') } : {}),
    },
    { shares: SHARES, removalsBetween: removalsOnTheLog(journal, own.catalog), pollMs: 1 },
  );
  const errors: unknown[] = [];
  const stores = { journal, keys, catalog, vectors, lexical: own.lexical, shared: writer };
  const onError = (error: unknown): void => void errors.push(error);
  const runner = new ReadModelRunner(stores, { checkpoints: own.checkpoints, onError, flushEveryMs: 1, ...options });
  return {
    writer,
    runner,
    stores,
    errors,
    own,
    start: (held: readonly number[]) => {
      for (const share of held) writer.hold(share);
      runner.start();
    },
    caughtUp: async (timeoutMs = 10_000) => runner.reached(await log.head(), timeoutMs),
    die: async () => {
      for (const share of ALL_SHARES) writer.release(share);
      await runner.stop().catch(() => undefined);
    },
  };
};
export type Replica = ReturnType<typeof aReplica>;
