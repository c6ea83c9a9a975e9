import type { Journal } from '@palimpsest/contracts';
import type { BlobStore, Catalog, LexicalIndex, ScopeKeys, VectorIndex } from '@palimpsest/knowledge';
import type { SharedIndexWriter } from './shared-index-writer.ts';

export type ReadModelStores = Readonly<{
  journal: Journal;
  catalog: Catalog;
  keys: ScopeKeys;
  /** Where uploads are stored; `verify` reads them. */
  blobs?: BlobStore;
  /** Both, or none: a process that answers no queries needs only the catalogue. */
  vectors?: VectorIndex;
  lexical?: LexicalIndex;
  /** Writes the indexes that this process shares with others; without it, all are this process's own. */
  shared?: SharedIndexWriter;
}>;
