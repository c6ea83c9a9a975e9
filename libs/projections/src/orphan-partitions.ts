import { partitionKey, type IndexPartition } from '@palimpsest/knowledge/read-models';
import { scopeKey } from '@palimpsest/knowledge/values';
import type { LostPartition } from './lost-partitions.ts';
import type { ReadModelStores } from './read-model-stores.ts';

/**
 * Partitions of this process's own indexes without a live generation: the drop of a retired generation was interrupted. Call it
 * after the catalog has caught up: a partition is created only after the catalog knows its generation. Shared indexes are skipped,
 * because another process may be ahead.
 */
const orphanPartitions = async ({ catalog, vectors, lexical, shared }: ReadModelStores): Promise<readonly LostPartition[]> => {
  const live = new Set<string>();
  for (const { scope, generations } of await catalog.scopes())
    for (const { id, status } of generations) if (status !== 'retired') live.add(partitionKey({ scope, generation: id }));
  const own = { ...(vectors && !shared ? { vectors } : {}), ...(lexical && !shared?.sharesLexical ? { lexical } : {}) };
  const found = new Map<string, LostPartition>();
  for (const index of ['vectors', 'lexical'] as const) {
    // `partitions` does not list damaged partitions, but their files exist.
    const all: readonly IndexPartition[] = [
      ...((await own[index]?.partitions()) ?? []),
      ...(own[index]?.damaged() ?? []).map(({ partition }) => partition),
    ];
    for (const partition of all)
      if (!live.has(partitionKey(partition)))
        found.set(`${index} ${scopeKey(partition.scope)} ${partition.generation}`, { index, partition });
  }
  return [...found.values()];
};

/** Checks again and drops while projecting is paused. */
export const dropOrphans = async (stores: ReadModelStores, whilePaused: (work: () => Promise<void>) => Promise<void>): Promise<void> => {
  if ((await orphanPartitions(stores)).length === 0) return;
  await whilePaused(async () => {
    for (const { index, partition } of await orphanPartitions(stores)) await stores[index]?.drop(partition);
  });
};
