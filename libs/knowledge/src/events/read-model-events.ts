import type { ChunkId } from '../values/ids.ts';
import type { VectorScope } from '../values/scope.ts';
import type { TenantId } from '../values/tenant.ts';
import type { GenerationId } from '../values/versions.ts';
import type { Event } from './event.ts';
import type { ReadersOf } from './readers.ts';

/** What was repaired of one kind, in one store. */
export type RepairedCount = Readonly<{
  store: 'vectors' | 'lexical' | 'catalog';
  /** the log has it and the store did not; the store had it and the log does not; both have it, with another content */
  kind: 'missing' | 'extra' | 'different';
  /** missing if what was removed named no possible tenant */
  tenant?: TenantId;
  /** missing for rows of the catalog that belong to no scope, such as the versions of a document */
  scope?: VectorScope;
  /** missing for rows of the catalog */
  generation?: GenerationId;
  count: number;
}>;

/** Stored read models of one process differed from the log, and were made equal to it again. */
export type ReadModelsRepaired = Event<
  'ReadModelsRepaired',
  {
    /** a person asked for it, or a scheduled verification */
    trigger: 'requested' | 'scheduled';
    /** position of the log at which they were found equal afterwards, apart from what `remaining` counts */
    upTo: string;
    /** number of all differences that were repaired */
    total: number;
    /** the same by store, kind, scope and generation; at most 1,000, those with the most */
    counts: readonly RepairedCount[];
    /** the chunks concerned, at most 100 */
    chunkIds: readonly ChunkId[];
    /** differences that are still there */
    remaining: number;
    repairedAt: string;
  }
>;

export type ReadModelEvent = ReadModelsRepaired;

/** The projections that read each type. Repairs belong to the installation and are read from their own stream. */
export const READ_MODEL_READERS = {
  ReadModelsRepaired: [],
} as const satisfies ReadersOf<ReadModelEvent>;
