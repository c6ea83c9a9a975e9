import type { GoldenSetName } from '../values/golden-set.ts';
import type { Digest, DocumentId, KnowledgeBaseId, SourceId } from '../values/ids.ts';
import type { VectorScope } from '../values/scope.ts';
import type { Event } from './event.ts';
import type { ReadersOf } from './readers.ts';

/**
 * A document that a person judged for a query. `knowledgeBase` and `sourceId` name it even if it does not exist. They are missing if it was
 * named by its id and did not exist at that time.
 */
export type Judgement = Readonly<{ documentId: DocumentId; grade: number; knowledgeBase?: KnowledgeBaseId; sourceId?: SourceId }>;

/** `synthetic`: written by a model instead of a person. */
export type JudgedQuery = Readonly<{ id: string; text: string; synthetic: boolean; judgements: readonly Judgement[] }>;

/** How much a version of a golden set holds. */
export type GoldenCounts = Readonly<{
  /** number of `GoldenQueriesStored` */
  parts: number;
  /** number of queries */
  queries: number;
  /** number of judgements of all queries */
  judgements: number;
  /** number of queries that a model wrote */
  synthetic: number;
  /** size of the queries as JSON */
  bytes: number;
}>;

/**
 * Part of the queries of a version, before the event that makes the version visible. `content`: digest of all its queries under the key of
 * the scope. Without a time, so that a repeated import is the same event.
 */
export type GoldenQueriesStored = Event<
  'GoldenQueriesStored',
  { scope: VectorScope; content: Digest; part: number; queries: readonly JudgedQuery[] }
>;
/** A version of a golden set is complete. It replaces the version before. */
export type GoldenSetImported = Event<
  'GoldenSetImported',
  GoldenCounts & {
    scope: VectorScope;
    set: GoldenSetName;
    /** of the set, from 1 */
    version: number;
    /** digest of its queries, in the name of their stream */
    content: Digest;
    importedAt: string;
  }
>;
/** The set has no version any more. A later import continues its numbers. */
export type GoldenSetRemoved = Event<
  'GoldenSetRemoved',
  {
    scope: VectorScope;
    set: GoldenSetName;
    /** the last one */
    version: number;
    removedAt: string;
  }
>;

export type GoldenSetEvent = GoldenSetImported | GoldenSetRemoved;
export type GoldenEvent = GoldenQueriesStored | GoldenSetImported | GoldenSetRemoved;

/** The projections that read each type. Sets are read from their streams when they are needed. */
export const GOLDEN_READERS = {
  GoldenQueriesStored: ['event-views'],
  GoldenSetImported: ['event-views'],
  GoldenSetRemoved: ['event-views'],
} as const satisfies ReadersOf<GoldenEvent>;
