import type { ChunkId } from '../values/ids.ts';
import type { Position } from '../values/position.ts';
import type { TenantScope } from '../values/scope.ts';
import type { GenerationId } from '../values/versions.ts';
import type { PermittedScope } from '../access/access.ts';
import type { Filter } from '../access/filter.ts';
import type { ChunkSelection } from './word-conditions.ts';

/** One complete index: one generation of one scope. Stored separately from all others (for example in its own folder). */
export type IndexPartition = Readonly<{ scope: TenantScope; generation: GenerationId }>;

/** A partition that the caller may read: only `authorise` returns a `PermittedScope`. */
export type ReadablePartition = Readonly<{ scope: PermittedScope; generation: GenerationId }>;

export const partitionKey = ({ scope, generation }: IndexPartition): string => `${scope.tenant}/${scope.scope}/${generation}`;

export type IndexRemoval = Readonly<{ write: 'remove'; chunkId: ChunkId }>;

export type IndexQuery = Readonly<{
  /** Maximum number of results, from 1 to `MAX_INDEX_RESULTS`. */
  k: number;
  filter?: Filter;
  /** Only these chunks can be results. Default: all. */
  chunks?: ChunkSelection;
}>;

/** An entry of a partition, for `verify`. `digest`: 64 hexadecimal digits over the values that were passed to `put`. */
export type IndexEntry = Readonly<{ chunkId: ChunkId; digest: string }>;

/** Bytes that an index uses. `memory`: at the moment; a partition that is not loaded uses none. */
export type IndexBytes = Readonly<{ memory: number; disk: number }>;

/**
 * Common part of the vector index and the lexical index. Promises, checked by the kits of both:
 * - `apply` makes all writes of one call visible together; a call with `upTo` BEFORE `position(partition)` is ignored completely
 *   (an older position never overwrites a newer one); a call with an EQUAL `upTo` is applied: a projection writes one position in
 *   two steps (first new chunks, later removals) and repeats them after a crash, which changes nothing;
 * - `flush` makes all applied calls durable; without it a crash may lose the latest calls, and `position` reflects that:
 *   a reopened partition contains exactly the calls up to its `position`, never a part of one;
 * - damaged files are detected on opening: the partition is then treated as missing (position START), and `damaged` lists it so
 *   that it can be rebuilt;
 * - damage that is detected later never gives incomplete results: all calls on the partition except `position` (START) and
 *   `drop` throw Unavailable until it is dropped;
 * - the same calls give the same results and scores, bit for bit, also after reopening and in any order of deletes and merges;
 *   ties go to the lower chunk id;
 * - one partition never returns data of another;
 * - after `adopt`, the partition has exactly the entries and the position that it had in the other store (none if it did not exist there),
 *   durably, and the other store no longer has it; after a kill the partition is as before or as after, never missing or mixed; it
 *   replaces a damaged partition, too. Stores that are servers do not implement it;
 * - after `copy`, the partition has exactly the entries and the position that it had in the other store during the call (none if it did not
 *   exist there), and its files contain nothing that was removed or replaced there; from then on, a call on one of the two does not affect
 *   the other. Stores that are servers do not implement it;
 * - after `purge`, no file of the store contains data that was removed or replaced before the call. Stores that are servers remove what an
 *   earlier version of this software left in another format, once no process of that version uses it any more.
 */
export interface IndexStore {
  /** START if the partition does not exist. */
  position(partition: IndexPartition): Promise<Position>;
  partitions(): Promise<readonly IndexPartition[]>;
  count(partition: IndexPartition): Promise<number>;
  /** Ordered by chunk id. */
  entries(partition: IndexPartition): AsyncIterable<IndexEntry>;
  /** Partitions that were found damaged since opening, with reasons. */
  damaged(): readonly Readonly<{ partition: IndexPartition; reason: string }>[];
  /** Removes the partition and its files. */
  drop(partition: IndexPartition): Promise<void>;
  dropAll(): Promise<void>;
  /** Moves a partition here from another store of the same kind. Searches see the old one or the new one. */
  adopt?(partition: IndexPartition, from: IndexStore): Promise<void>;
  /** Copies a partition here from another store of the same kind, which goes on as before. Durable after the next `flush`. */
  copy?(partition: IndexPartition, from: IndexStore): Promise<void>;
  flush(): Promise<void>;
  purge?(): Promise<void>;
  /** What the partition uses, measured; nothing if it does not exist. Stores that are servers do not implement it. */
  bytes?(partition: IndexPartition): Promise<IndexBytes>;
  close(): Promise<void>;
}
