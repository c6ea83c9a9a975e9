import type { ChunkId } from '../values/ids.ts';
import type { Position } from '../values/position.ts';
import type { IndexPartition } from './index-partition.ts';
import type { VectorPut } from './vector-index.ts';

/** A write with the position of the event that caused it. */
export type OrderedPut = Readonly<{ put: VectorPut; at: Position }>;
export type OrderedRemoval = Readonly<{ chunkId: ChunkId; at: Position }>;

/** The store contains all puts of the share up to `written` and all removals up to `removed`. START if unknown. */
export type ShareProgress = Readonly<{ written: Position; removed: Position }>;

/**
 * Vectors that several processes write into one store, each for its shares of the chunks. The writes of a chunk are ordered by event
 * position, so they may be repeated or come from a process that should have stopped. Promises, all checked by
 * `describeSharedVectors`:
 * - when `put` or `remove` resolves, searches see the change, and it survives a restart of the store;
 * - a put with an older position than the stored one changes nothing; a put with the same position writes the same data;
 * - a removal removes data that was put at or before its position, and nothing newer;
 * - progress is stored with the vectors and lost with them; `advance` never moves it backwards.
 */
export interface SharedVectors {
  put(partition: IndexPartition, puts: readonly OrderedPut[]): Promise<void>;
  remove(partition: IndexPartition, removals: readonly OrderedRemoval[]): Promise<void>;
  /** Progress of the shares 0 … count - 1. */
  progress(count: number): Promise<readonly ShareProgress[]>;
  advance(shares: readonly number[], progress: Partial<ShareProgress>): Promise<void>;
  /** Resets all shares to START, as after the loss of the vectors. */
  resetProgress(): Promise<void>;
}
