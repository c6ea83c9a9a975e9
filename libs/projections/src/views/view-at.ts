import type { Catalog, IndexPartition, LexicalPut, VectorPut } from '@palimpsest/knowledge/read-models';
import type { Position } from '@palimpsest/knowledge/values';
import { scopeKey } from '@palimpsest/knowledge/values';
import type { ReadModelStores } from '../read-model-stores.ts';
import { Tombstones } from '../tombstones.ts';
import { DigestIndex } from './digest-index.ts';
import { ViewBuild } from './view-build.ts';

/** Digests of what an index holds for a chunk. Functions of the adapters, so that a view and an index use the same. */
export type Digests = Readonly<{ vector: (put: VectorPut) => string; lexical: (put: LexicalPut) => string }>;

/**
 * The read models as of a position, made only from the log: a scratch catalog, and the digests of the index entries. It can be compared
 * with other read models, not searched.
 */
export type ViewAt = Readonly<{
  position: Position;
  catalog: Catalog;
  vectors: DigestIndex<VectorPut>;
  lexical: DigestIndex<LexicalPut>;
  close: () => Promise<void>;
}>;

/** Builds the view of a position. Close it after use: its catalog has files. */
export const viewAt = async (
  { journal, keys, catalog }: Pick<ReadModelStores, 'journal' | 'keys' | 'catalog'>,
  position: Position,
  digests: Digests,
): Promise<ViewAt> => {
  const scratch = await catalog.createScratch();
  try {
    const [vectors, lexical] = [new DigestIndex(digests.vector), new DigestIndex(digests.lexical)];
    const tombstones = () => Tombstones.until(journal, position);
    await new ViewBuild({ journal, keys, catalog: scratch, vectors, lexical }, { tombstones }).upTo(position);
    return { position, catalog: scratch, vectors, lexical, close: () => scratch.close() };
  } catch (error) {
    await scratch.close();
    throw error;
  }
};

/** The partitions of scopes that have or had documents, by tenant and scope, the generations in the order of their starts: equal for equal contents. */
export const partitionsOf = async ({ catalog, vectors, lexical }: ViewAt): Promise<readonly IndexPartition[]> => {
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
