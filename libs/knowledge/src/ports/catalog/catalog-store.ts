import type { Position } from '../../values/position.ts';
import type { CatalogChange } from './catalog-changes.ts';

/** What a projection writes. */
export interface CatalogStore {
  position(): Promise<Position>;
  apply(changes: readonly CatalogChange[], upTo: Position): Promise<void>;
  /** After it resolves, the files contain no data that was deleted or overwritten before the call. */
  purge?(): Promise<void>;
  /** Deletes all data and sets the position to START. */
  reset(): Promise<void>;
}
