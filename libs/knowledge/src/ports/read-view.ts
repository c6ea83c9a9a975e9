import type { Position } from '../values/position.ts';
import type { CatalogReader } from './catalog/catalog-reader.ts';
import type { LexicalSearch } from './lexical-index.ts';
import type { ReadModels } from './read-models.ts';
import type { VectorSearch } from './vector-index.ts';

/** A catalog at a position of the log, without the search indexes. */
export type CatalogView = Pick<ReadModels, 'position' | 'serving'> & Readonly<{ catalog: CatalogReader }>;

/** One set of read models at a position of the log: the only thing that a query reads from. The live one moves on with the log. */
export type ReadView = CatalogView & Readonly<{ vectors: VectorSearch; lexical: LexicalSearch }>;

/** Views of earlier positions. */
export interface PastViews {
  /**
   * Calls `use` with the view as of a position, which is built from the log if it is not kept, and returns its result. The view contains no
   * documents that were deleted since. It must not be used after `use` has ended.
   * @throws InvalidValue if the position is after the end of the log; Unavailable if the process stops
   */
  at<Result>(position: Position, use: (view: ReadView) => Promise<Result>): Promise<Result>;
}

/** Where queries get their view from. A query asks once, and reads everything from that view. */
export interface Views<View extends CatalogView = ReadView> {
  /** The view that follows the log. */
  live(): View;
}
