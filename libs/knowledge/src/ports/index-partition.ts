import type { ChunkId } from '../values/ids.ts';
import type { Position } from '../values/position.ts';
import type { TenantScope } from '../values/scope.ts';
import type { GenerationId } from '../values/versions.ts';
import type { PermittedScope } from '../access/access.ts';
import type { Filter } from '../access/filter.ts';

/** One complete index: of one scope, for one generation. Stored apart from every other (a folder, say). */
export type IndexPartition = Readonly<{ scope: TenantScope; generation: GenerationId }>;

/** The same, as a read may name it: only `authorise` makes a `PermittedScope`. */
export type ReadablePartition = Readonly<{ scope: PermittedScope; generation: GenerationId }>;

export const partitionKey = ({ scope, generation }: IndexPartition): string => `${scope.tenant}/${scope.scope}/${generation}`;

export type IndexRemoval = Readonly<{ write: 'remove'; chunkId: ChunkId }>;

export type IndexQuery = Readonly<{
  /** How many hits at most, 1-1000. */
  k: number;
  filter?: Filter;
}>;

/** What lies in a partition, for `verify`: `digest` is 64 hexadecimal digits over what `put` was given for the chunk. */
export type IndexEntry = Readonly<{ chunkId: ChunkId; digest: string }>;

/**
 * What both indexes have in common. Promises, checked by the kits of both:
 * - `apply` makes all writes of one call visible together; a call whose `upTo` lies BEFORE `position(partition)` is ignored as
 *   a whole (an older position never overwrites a newer one); a call with an EQUAL `upTo` is applied: a projection writes one
 *   position in two steps (first what is new, later what is gone), and repeats them after a crash, which changes nothing;
 * - `flush` makes everything applied survive a crash; without it a crash may lose the latest calls, then `position` says so:
 *   a reopened partition reflects exactly the calls up to its `position`, never a part of one;
 * - damaged files are noticed on opening: the partition is then as if it were not there (position START) and `damaged`
 *   names it, so that it can be rebuilt;
 * - damage that is met later never gives an answer with less in it: every call on the partition but `position` (START) and
 *   `drop` is refused (Unavailable) until it is dropped;
 * - the same calls give the same hits and scores, bit for bit, also after a reopening, and however deletes and merges fell;
 *   ties go to the lower chunk id;
 * - one partition never returns what another holds;
 * - after `purge`, no file of the store holds what had been removed or replaced before the call. A store whose files are a server's has none.
 */
export interface IndexStore {
  /** START when the partition does not exist. */
  position(partition: IndexPartition): Promise<Position>;
  partitions(): Promise<readonly IndexPartition[]>;
  count(partition: IndexPartition): Promise<number>;
  /** In the order of chunk ids. */
  entries(partition: IndexPartition): AsyncIterable<IndexEntry>;
  /** Partitions that were found damaged since opening, with the reason. */
  damaged(): readonly Readonly<{ partition: IndexPartition; reason: string }>[];
  /** Removes the partition and its files. */
  drop(partition: IndexPartition): Promise<void>;
  dropAll(): Promise<void>;
  flush(): Promise<void>;
  purge?(): Promise<void>;
  close(): Promise<void>;
}
