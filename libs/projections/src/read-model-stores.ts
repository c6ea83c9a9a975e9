import type { Journal } from '@palimpsest/contracts';
import type { BlobStore, ScopeKeys } from '@palimpsest/knowledge/ports';
import type {
  Catalog,
  IndexPartition,
  IndexRemoval,
  IndexStore,
  LexicalIndex,
  LexicalPut,
  VectorIndex,
  VectorPut,
} from '@palimpsest/knowledge/read-models';
import type { Position } from '@palimpsest/knowledge/values';
import type { SharedIndexWriter, SharedWrites } from './shared-index-writer.ts';

/** What a projection needs of an index. */
export type WrittenIndex<Put> = Pick<IndexStore, 'position' | 'drop'> &
  Readonly<{ apply: (partition: IndexPartition, writes: readonly (Put | IndexRemoval)[], upTo: Position) => Promise<void> }>;

/** Where facts are projected to. */
export type ProjectionTarget = Readonly<{
  journal: Journal;
  catalog: Catalog;
  keys: ScopeKeys;
  /** Both or neither. */
  vectors?: WrittenIndex<VectorPut>;
  lexical?: WrittenIndex<LexicalPut> & Pick<LexicalIndex, 'expect'>;
  shared?: SharedWrites;
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
