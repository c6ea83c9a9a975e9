import type { ChunkId } from '../values/ids.ts';
import type { Position } from '../values/position.ts';
import type { IndexPartition } from './index-partition.ts';
import type { VectorPut } from './vector-index.ts';

/** A write with the position of the fact that it follows from. */
export type OrderedPut = Readonly<{ put: VectorPut; at: Position }>;
export type OrderedRemoval = Readonly<{ chunkId: ChunkId; at: Position }>;

/** `written`: every put of the share up to it is in the store. `removed`: every removal, too. START when nothing is known. */
export type ShareProgress = Readonly<{ written: Position; removed: Position }>;

/**
 * Vectors that several processes write into one store, each its shares of the chunks. Each chunk's writes are ordered by the
 * positions of their facts, so they may be repeated, and come from a process that should have stopped. Promises, all checked
 * by `describeSharedVectors`:
 * - when `put` or `remove` resolves, searches see it, and it survives a restart of the store;
 * - a put with an older position than the one that is stored for its chunk changes nothing; one with the same position writes the same;
 * - a removal takes away what was put at or before its position, and nothing newer;
 * - `progress` and `advance` are kept in the store, beside the vectors: they are gone when those are; `advance` never goes back.
 */
export interface SharedVectors {
  put(partition: IndexPartition, puts: readonly OrderedPut[]): Promise<void>;
  remove(partition: IndexPartition, removals: readonly OrderedRemoval[]): Promise<void>;
  /** Of each of the shares 0 … count - 1. */
  progress(count: number): Promise<readonly ShareProgress[]>;
  advance(shares: readonly number[], progress: Partial<ShareProgress>): Promise<void>;
  /** Sets all shares back to START, as for a store that lost its vectors. */
  resetProgress(): Promise<void>;
}
