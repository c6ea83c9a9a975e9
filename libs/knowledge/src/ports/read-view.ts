import type { AsOf } from '../values/as-of.ts';
import type { VectorScope } from '../values/scope.ts';
import type { TenantId } from '../values/tenant.ts';
import type { CatalogReader } from './catalog/catalog-reader.ts';
import type { LexicalSearch } from './lexical-index.ts';
import type { ReadModels } from './read-models.ts';
import type { VectorSearch } from './vector-index.ts';

/** A catalog at a position of the log, without the search indexes. */
export type CatalogView = Pick<ReadModels, 'position' | 'serving'> & Readonly<{ catalog: CatalogReader }>;

/** One set of read models at a position of the log: the only thing that a query reads from. The live one moves on with the log. */
export type ReadView = CatalogView & Readonly<{ vectors: VectorSearch; lexical: LexicalSearch }>;

/** A moment in the history of a tenant. `scopes`: those that are read. */
export type Moment = Readonly<{ tenant: TenantId; asOf: AsOf; scopes: readonly VectorScope[] }>;

/** Views of earlier moments. A view contains only what belongs to the tenant. */
export interface PastViews<View extends CatalogView = ReadView> {
  /**
   * Calls `use` with the view as of a moment, and returns its result. The view has exactly the contents that the live one had there, also
   * documents that were deleted since. It is built from the log if it is not kept. It must not be used after `use` has ended.
   * @throws InvalidValue for a moment after the end of the log, naming the field `asOf`; HistoryRemoved if a scope does not have
   * everything any more that it had then, also if that was removed while the view was built; NotCaughtUp while it is being built;
   * Overloaded if too many others are; Unavailable if the process stops
   */
  at<Result>(moment: Moment, use: (view: View) => Promise<Result>): Promise<Result>;
}

/** Where queries get their view from. A query asks once, and reads everything from that view. */
export interface Views<View extends CatalogView = ReadView> {
  /** The view that follows the log. */
  live(): View;
}
