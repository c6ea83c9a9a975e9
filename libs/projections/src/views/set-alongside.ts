import type { SharedIndexRepair } from '../rebuilds/shared-index-repair.ts';
import type { Catalog, LexicalIndex, VectorIndex } from '@palimpsest/knowledge/read-models';

/** A second set of read models, empty at first, that is built while the first one serves. */
export type SetAlongside = Readonly<{
  catalog: Catalog;
  vectors: VectorIndex;
  lexical: LexicalIndex;
  /** Set if the vectors, or all indexes, are those of all processes: they are written again where they are. */
  shared?: SharedIndexRepair;
  /** From now on the stores of the process are those of this set. The previous set is deleted once no call to it is running. */
  exchange: () => Promise<void>;
  /** Deletes this set. */
  discard: () => Promise<void>;
}>;
