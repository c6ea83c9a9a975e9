import type { CatalogReader } from './catalog/catalog-reader.ts';
import type { LexicalSearch } from './lexical-index.ts';
import type { ReadModels } from './read-models.ts';
import type { VectorSearch } from './vector-index.ts';

/** A catalog at a position of the log, without the search indexes. */
export type CatalogView = Pick<ReadModels, 'position' | 'serving'> & Readonly<{ catalog: CatalogReader }>;

/** One set of read models at a position of the log: the only thing that a query reads from. The live one moves on with the log. */
export type ReadView = CatalogView & Readonly<{ vectors: VectorSearch; lexical: LexicalSearch }>;

/** Where queries get their view from. A query asks once, and reads everything from that view. */
export interface Views<View extends CatalogView = ReadView> {
  /** The view that follows the log. */
  live(): View;
}
