import type { Journal } from '@palimpsest/contracts';
import type { BlobStore, Catalog, IndexPartition, IndexRemoval, IndexStore, LexicalIndex, LexicalPut, Position, ScopeKeys, VectorIndex, VectorPut } from '@palimpsest/knowledge';
import type { SharedIndexWriter } from './shared-index-writer.ts';

/** What a projection needs of an index. */
export type WrittenIndex<Put> = Pick<IndexStore, 'position' | 'drop'> & Readonly<{ apply: (partition: IndexPartition, writes: readonly (Put | IndexRemoval)[], upTo: Position) => Promise<void> }>;

/** Where facts are projected to. */
export type ProjectionTarget = Readonly<{
  journal: Journal;
  catalog: Catalog;
  keys: ScopeKeys;
  /** Both or neither. */
  vectors?: WrittenIndex<VectorPut>;
  lexical?: WrittenIndex<LexicalPut> & Pick<LexicalIndex, 'expect'>;
  shared?: SharedIndexWriter;
}>;

export type ReadModelStores = Readonly<{
  journal: Journal;
  catalog: Catalog;
  keys: ScopeKeys;
  /** Where uploads are stored; `verify` reads them. */
  blobs?: BlobStore;
  /** Both or neither: a process that answers no queries needs only the catalog. */
  vectors?: VectorIndex;
  lexical?: LexicalIndex;
  /** Writes the indexes shared with other processes; undefined if no index is shared. */
  shared?: SharedIndexWriter;
}>;
