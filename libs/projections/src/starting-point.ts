import { earlierOf, partitionKey, START } from '@palimpsest/knowledge';
import type { Checkpoints, IndexPartition, Position } from '@palimpsest/knowledge';
import type { ReadModelStores } from './read-model-stores.ts';

/** Up to where the read models are durable. */
export const READ_MODELS_CHECKPOINT = 'read-models';
/** Up to where this process has seen the shared indexes written. */
export const SHARED_CHECKPOINT = 'shared-indexes';

/** After which position a process that has just started has to project: START when an index lost what it held. */
export const startingPoint = async (stores: ReadModelStores, checkpoints: Checkpoints): Promise<Position> => {
  const { catalog, shared } = stores;
  if (await someIndexIsGone(stores)) return START;
  if (await shared?.lost(await checkpoints.get(SHARED_CHECKPOINT))) return START;
  return earlierOf(await catalog.position(), await checkpoints.get(READ_MODELS_CHECKPOINT));
};

/** Whether an index that should hold something is missing or damaged: its folder was deleted, say. */
const someIndexIsGone = async ({ catalog, vectors, lexical, shared }: ReadModelStores): Promise<boolean> => {
  // A shared one says itself whether it lost something; it has no position for each of its partitions.
  const indexes = [...(vectors && !shared ? [vectors] : []), ...(lexical && !shared?.sharesLexical ? [lexical] : [])];
  if (indexes.length === 0) return false;
  const damaged = new Set(indexes.flatMap((index) => index.damaged()).map(({ partition }) => partitionKey(partition)));
  for (const { scope, generations } of await catalog.scopes()) {
    const [first] = await catalog.indexedDocuments(scope, 1);
    if (first === undefined) continue;
    for (const { id: generation, status } of generations) {
      const partition: IndexPartition = { scope, generation };
      // One that is being built may be empty for a good reason; only its damage tells that it is not.
      const holdsSomething = status === 'active' || status === 'standby' || (status === 'building' && damaged.has(partitionKey(partition)));
      for (const index of holdsSomething ? indexes : []) if ((await index.position(partition)) === START) return true;
    }
  }
  return false;
};
