import type { Position } from '../values/position.ts';
import type { OrderedWrites } from './ordered-writes.ts';
import type { VectorPut } from './vector-index.ts';

/** The store contains all puts of the share up to `written` and all removals up to `removed`. START if unknown. */
export type ShareProgress = Readonly<{ written: Position; removed: Position }>;

/**
 * Vectors that several processes write into one store, each for its shares of the chunks. The progress covers every index that they
 * share. Promises, all checked by `describeSharedVectors`, besides those of `OrderedWrites`:
 * - progress is stored with the vectors and lost with them; `advance` never moves it backwards.
 */
export interface SharedVectors extends OrderedWrites<VectorPut> {
  /** Progress of the shares 0 … count - 1. */
  progress(count: number): Promise<readonly ShareProgress[]>;
  advance(shares: readonly number[], progress: Partial<ShareProgress>): Promise<void>;
}
