import { partitionKey, type IndexPartition, type IndexStore } from '@palimpsest/knowledge/read-models';
import { scopeKey, type TenantScope } from '@palimpsest/knowledge/values';
import type { ReadModelStores } from '../read-model-stores.ts';
import type { SetAlongside } from '../views/set-alongside.ts';

/**
 * The partitions and the rows of these scopes in a set take the place of those in the read models. Call it while nothing is projected and
 * the set has what they have: each partition, and the catalog, is then complete on its own, also after a kill in between.
 */
export const takeScopes = async (
  scopes: readonly TenantScope[],
  set: Pick<SetAlongside, 'catalog' | 'vectors' | 'lexical' | 'shared'>,
  { catalog, vectors, lexical }: Pick<ReadModelStores, 'catalog' | 'vectors' | 'lexical'>,
): Promise<void> => {
  // Shared indexes were written again where they are.
  if (!set.shared?.sharesLexical) await takePartitions(scopes, set.lexical, lexical);
  if (!set.shared) await takePartitions(scopes, set.vectors, vectors);
  await catalog.replaceScopes(scopes, set.catalog);
};

const takePartitions = async (scopes: readonly TenantScope[], from: IndexStore, to: IndexStore | undefined): Promise<void> => {
  if (to?.adopt === undefined) return;
  const keys = new Set(scopes.map(scopeKey));
  const found = new Map<string, IndexPartition>();
  for (const partition of [...(await from.partitions()), ...(await to.partitions())])
    if (keys.has(scopeKey(partition.scope))) found.set(partitionKey(partition), partition);
  for (const partition of found.values()) await to.adopt(partition, from);
};
