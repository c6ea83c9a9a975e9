import { cipherIfAny } from '@palimpsest/contracts';
import { partitionKey } from '@palimpsest/knowledge/read-models';
import { earlierOf, position, START } from '@palimpsest/knowledge/values';
import type { Checkpoints } from '@palimpsest/knowledge/ports';
import type { IndexPartition } from '@palimpsest/knowledge/read-models';
import type { Position } from '@palimpsest/knowledge/values';
import type { ReadModelStores } from './read-model-stores.ts';

/** Position up to which the read models are durable. */
export const READ_MODELS_CHECKPOINT = 'read-models';
/** Position up to which this process has seen the shared indexes written. */
export const SHARED_CHECKPOINT = 'shared-indexes';

/** The position after which a newly started process must project: START if an index lost its data. */
export const startingPoint = async (stores: ReadModelStores, checkpoints: Checkpoints): Promise<Position> => {
  const { catalog, shared } = stores;
  if (await isSomeIndexLost(stores)) return START;
  if (shared && (await isSharedLost(shared, catalog, await checkpoints.get(SHARED_CHECKPOINT)))) return START;
  return earlierOf(await catalog.position(), await checkpoints.get(READ_MODELS_CHECKPOINT));
};

/** `seen`: START if this process has seen nothing yet, as after a start from a snapshot. But every chunk of its catalog was written by all shares. */
const isSharedLost = async (
  shared: NonNullable<ReadModelStores['shared']>,
  catalog: ReadModelStores['catalog'],
  seen: Position,
): Promise<boolean> => {
  const anything = position(1n);
  return shared.lost(seen === START && (await catalog.chunkCount()) > 0 ? anything : seen);
};

const COMPLETE: ReadonlySet<string> = new Set(['ready', 'active', 'standby', 'companion']);

/** Whether an index that should have data is missing or damaged, for example because its folder was deleted. */
const isSomeIndexLost = async ({ catalog, keys, vectors, lexical, shared }: ReadModelStores): Promise<boolean> => {
  // A shared index reports losses itself; it has no positions for its partitions.
  const indexes = [...(vectors && !shared ? [vectors] : []), ...(lexical && !shared?.sharesLexical ? [lexical] : [])];
  if (indexes.length === 0) return false;
  const damaged = new Set(indexes.flatMap((index) => index.damaged()).map(({ partition }) => partitionKey(partition)));
  for (const { scope, generations } of await catalog.scopes()) {
    const [first] = await catalog.indexedDocuments(scope, 1);
    if (first === undefined) continue;
    for (const { id: generation, status } of generations) {
      const partition: IndexPartition = { scope, generation };
      // A partition that is being built can be empty; only damage shows that it was not.
      const holdsSomething = COMPLETE.has(status) || (status === 'building' && damaged.has(partitionKey(partition)));
      for (const index of holdsSomething ? indexes : [])
        // An index has nothing of an erased scope, and the log has nothing for it.
        if ((await index.position(partition)) === START && (await cipherIfAny(keys, scope)) !== undefined) return true;
    }
  }
  return false;
};
