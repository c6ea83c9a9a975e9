import type { ChunkingSettings } from '../values/chunking.ts';
import type { Fields } from '../values/fields.ts';
import type { KnowledgeBaseId } from '../values/ids.ts';
import type { VectorScope } from '../values/scope.ts';
import type { Synonyms } from '../values/synonyms.ts';
import type { Event } from './event.ts';
import type { ReadersOf } from './readers.ts';
import type { KnowledgeBaseStrategyEvaluated, KnowledgeBaseStrategySet } from './strategy-events.ts';

/**
 * Settings that can be changed. `language`: BCP 47 tag, used for texts whose language cannot be detected. `historyDays`: what was replaced
 * or deleted is removed from the log after so long; if it is missing, never. `fields`: the types by which filters compare; if it is missing,
 * they compare all values as they are. `synonyms`: with what else words of a query are searched.
 */
export type KnowledgeBaseSettings = Readonly<{
  name: string;
  description: string;
  chunking: ChunkingSettings;
  language?: string;
  historyDays?: number;
  fields?: Fields;
  synonyms?: Synonyms;
}>;

/**
 * How the ids of documents are derived from their sources: under the key of the scope, or, in knowledge bases that a version before 0.2
 * created, without a key. There, documents of that time keep their ids.
 */
export type DocumentIds = 'keyed' | 'plain';

export type KnowledgeBaseCreated = Event<
  'KnowledgeBaseCreated',
  KnowledgeBaseSettings & { id: KnowledgeBaseId; scope: VectorScope; documentIds: DocumentIds; createdAt: string }
>;
export type KnowledgeBaseConfigured = Event<
  'KnowledgeBaseConfigured',
  KnowledgeBaseSettings & { id: KnowledgeBaseId; configuredAt: string }
>;
/** The knowledge base accepts no more documents. Its contents stay searchable. */
export type KnowledgeBaseArchived = Event<'KnowledgeBaseArchived', { id: KnowledgeBaseId; archivedAt: string }>;

/** Until it is resumed, the knowledge base accepts no documents and waiting ones are not processed. Its contents stay searchable. */
export type KnowledgeBasePaused = Event<'KnowledgeBasePaused', { id: KnowledgeBaseId; pausedAt: string }>;
/** Processing of waiting documents continues. */
export type KnowledgeBaseResumed = Event<'KnowledgeBaseResumed', { id: KnowledgeBaseId; resumedAt: string }>;

/** From here on, the knowledge base accepts no documents, and a worker deletes those that it has. */
type KnowledgeBaseDeletionRequested = Event<'KnowledgeBaseDeletionRequested', { id: KnowledgeBaseId; requestedAt: string }>;
/** Its documents are deleted, and it is no longer visible. Its id is not used again. */
type KnowledgeBaseDeleted = Event<'KnowledgeBaseDeleted', { id: KnowledgeBaseId; deletedAt: string }>;

export type KnowledgeBaseEvent =
  | KnowledgeBaseCreated
  | KnowledgeBaseConfigured
  | KnowledgeBaseArchived
  | KnowledgeBasePaused
  | KnowledgeBaseResumed
  | KnowledgeBaseStrategyEvaluated
  | KnowledgeBaseStrategySet
  | KnowledgeBaseDeletionRequested
  | KnowledgeBaseDeleted;

/** The projections that read each type. */
export const KNOWLEDGE_BASE_READERS = {
  KnowledgeBaseCreated: ['catalog', 'indexes', 'event-views', 'history-removals'],
  KnowledgeBaseConfigured: ['catalog', 'indexes', 'event-views', 'history-removals'],
  KnowledgeBaseArchived: ['catalog', 'event-views'],
  KnowledgeBasePaused: ['catalog', 'event-views'],
  KnowledgeBaseResumed: ['catalog', 'relay', 'event-views'],
  KnowledgeBaseStrategyEvaluated: ['event-views'],
  KnowledgeBaseStrategySet: ['catalog', 'event-views'],
  KnowledgeBaseDeletionRequested: ['catalog', 'event-views'],
  KnowledgeBaseDeleted: ['catalog', 'event-views'],
} as const satisfies ReadersOf<KnowledgeBaseEvent>;
