import type { IndexPartition } from '@palimpsest/knowledge/read-models';
import type { Position } from '@palimpsest/knowledge/values';
import { scopeKey } from '@palimpsest/knowledge/values';
import type { ReadModelStores } from '../read-model-stores.ts';
import { LogView, type Digests } from './log-view.ts';

/** Builds the view of a position. Close it after use. */
export const viewAt = async (
  stores: Pick<ReadModelStores, 'journal' | 'keys' | 'catalog'>,
  position: Position,
  digests: Digests,
): Promise<LogView> => {
  const view = await LogView.open(stores, digests);
  try {
    await view.upTo(position);
    return view;
  } catch (error) {
    await view.close();
    throw error;
  }
};

/** The partitions of scopes that have or had documents, by tenant and scope, the generations in the order of their starts: equal for equal contents. */
export const partitionsOf = async ({ catalog, vectors, lexical }: LogView): Promise<readonly IndexPartition[]> => {
  const scopes = [...(await catalog.scopes())].sort((a, b) => (scopeKey(a.scope) < scopeKey(b.scope) ? -1 : 1));
  const found: IndexPartition[] = [];
  for (const { scope, generations } of scopes) {
    const partitions = generations.filter(({ status }) => status !== 'retired').map(({ id: generation }) => ({ scope, generation }));
    const isUsed =
      partitions.some((partition) => vectors.has(partition) || lexical.has(partition)) ||
      (await catalog.indexedDocuments(scope, 1)).length > 0;
    if (isUsed) found.push(...partitions);
  }
  return found;
};
