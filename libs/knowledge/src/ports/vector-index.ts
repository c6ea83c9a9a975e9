import type { Attributes } from '../access/filter.ts';
import type { ChunkId } from '../values/ids.ts';
import type { Position } from '../values/position.ts';
import type { IndexBytes, IndexPartition, IndexQuery, IndexRemoval, IndexStore, ReadablePartition } from './index-partition.ts';
import type { ScoreSpread } from './score-spread.ts';

/**
 * `vector`: unit length, `Float32Array` with the dimensions of the partition (fixed by the first put). `further`: vectors of the other
 * windows of a text that was too long for one vector. Replaces all vectors of an older put.
 */
export type VectorPut = Readonly<{
  write: 'put';
  chunkId: ChunkId;
  vector: Float32Array;
  further?: readonly Float32Array[];
  attributes: Attributes;
}>;

/** `score`: cosine similarity of the chunk's best vector, the float32 dot product of two unit vectors, from -1 to 1. */
export type VectorHit = Readonly<{ chunkId: ChunkId; score: number }>;

/** Exact nearest-neighbour search: `search` returns the k best chunks that satisfy the filter (checked by `describeVectorIndex`). */
export interface VectorSearch {
  search(partition: ReadablePartition, vector: Float32Array, query: IndexQuery): Promise<readonly VectorHit[]>;
  /** Distribution of the cosines of all vectors. Large partitions may use a deterministic sample. */
  spread(partition: ReadablePartition, vector: Float32Array): Promise<ScoreSpread>;
}

export interface VectorIndex extends VectorSearch, IndexStore {
  apply(partition: IndexPartition, writes: readonly (VectorPut | IndexRemoval)[], upTo: Position): Promise<void>;
  /** What a partition with this many vectors uses while it is loaded, from the format of the index. Where `bytes` is implemented, it is within 25 %. */
  bytesFor?(vectors: number, dimensions: number): IndexBytes;
}
