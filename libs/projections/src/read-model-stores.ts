import type { Journal } from '@palimpsest/contracts';
import type { Catalog, LexicalIndex, ScopeKeys, VectorIndex } from '@palimpsest/knowledge';
import type { SharedIndexWriter } from './shared-index-writer.ts';

export type ReadModelStores = Readonly<{
  journal: Journal;
  catalog: Catalog;
  keys: ScopeKeys;
  /** Both, or none: a process that answers no queries needs only the catalogue. */
  vectors?: VectorIndex;
  lexical?: LexicalIndex;
  /** Writes the indexes that this process shares with others; without it, all are this process's own. */
  shared?: SharedIndexWriter;
}>;
