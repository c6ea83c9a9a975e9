import { partitionKey, scopeKey, type IndexPartition } from '@palimpsest/knowledge';
import type { LostPartition } from './lost-partitions.ts';
import type { ReadModelStores } from './read-model-stores.ts';

/**
 * Partitions of this process's own indexes that no live generation has: of one that was retired, whose drop a kill cut off. To be asked
 * where the catalogue has caught up: a partition begins only after the catalogue has its generation. Shared indexes are left
 * alone: another process may be ahead.
 */
export const orphanPartitions = async ({ catalog, vectors, lexical, shared }: ReadModelStores): Promise<readonly LostPartition[]> => {
  const live = new Set<string>();
  for (const { scope, generations } of await catalog.scopes())
    for (const { id, status } of generations) if (status !== 'retired') live.add(partitionKey({ scope, generation: id }));
  const own = { ...(vectors && !shared ? { vectors } : {}), ...(lexical && !shared?.sharesLexical ? { lexical } : {}) };
  const found = new Map<string, LostPartition>();
  for (const index of ['vectors', 'lexical'] as const) {
    // What is damaged is not among the others, and lies there all the same.
    const all: readonly IndexPartition[] = [...((await own[index]?.partitions()) ?? []), ...(own[index]?.damaged() ?? []).map(({ partition }) => partition)];
    for (const partition of all) if (!live.has(partitionKey(partition))) found.set(`${index} ${scopeKey(partition.scope)} ${partition.generation}`, { index, partition });
  }
  return [...found.values()];
};

/** Nothing is projected while it looks for the last time, and drops. */
export const dropOrphans = async (stores: ReadModelStores, whilePaused: (work: () => Promise<void>) => Promise<void>): Promise<void> => {
  if ((await orphanPartitions(stores)).length === 0) return;
  await whilePaused(async () => {
    for (const { index, partition } of await orphanPartitions(stores)) await stores[index]?.drop(partition);
  });
};
