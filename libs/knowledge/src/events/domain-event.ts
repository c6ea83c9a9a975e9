import { AUDIT_READERS, type AuditEvent } from './audit-events.ts';
import { CHECKPOINT_READERS, type CheckpointEvent } from './checkpoint-events.ts';
import { DOCUMENT_READERS, type DocumentEvent } from './document-events.ts';
import { FLEET_READERS, type FleetEvent } from './fleet-events.ts';
import { GOLDEN_READERS, type GoldenEvent } from './golden-events.ts';
import { HISTORY_READERS, type HistoryEvent } from './history-events.ts';
import { KNOWLEDGE_BASE_READERS, type KnowledgeBaseEvent } from './knowledge-base-events.ts';
import { MODEL_READERS, type ModelEvent } from './model-events.ts';
import { READ_MODEL_READERS, type ReadModelEvent } from './read-model-events.ts';
import type { ProjectionName } from './readers.ts';
import { RETRIEVAL_READERS, type RetrievalEvent } from './retrieval-events.ts';
import { SCOPE_READERS, type ScopeEvent } from './scope-events.ts';
import { SUBJECT_READERS, type SubjectEvent } from './subject-events.ts';
import { TENANT_READERS, type TenantEvent } from './tenant-events.ts';

export type DomainEvent =
  | DocumentEvent
  | KnowledgeBaseEvent
  | ScopeEvent
  | RetrievalEvent
  | TenantEvent
  | AuditEvent
  | ModelEvent
  | GoldenEvent
  | FleetEvent
  | SubjectEvent
  | HistoryEvent
  | CheckpointEvent
  | ReadModelEvent;
export type DomainEventType = DomainEvent['type'];
export type EventOfType<Type extends DomainEventType> = Extract<DomainEvent, { type: Type }>;

/** The projections that read each event type. */
export const READERS = {
  ...DOCUMENT_READERS,
  ...KNOWLEDGE_BASE_READERS,
  ...SCOPE_READERS,
  ...RETRIEVAL_READERS,
  ...TENANT_READERS,
  ...AUDIT_READERS,
  ...MODEL_READERS,
  ...GOLDEN_READERS,
  ...FLEET_READERS,
  ...SUBJECT_READERS,
  ...HISTORY_READERS,
  ...CHECKPOINT_READERS,
  ...READ_MODEL_READERS,
} as const;

/** The event types that name a projection among their readers. */
export type ReadBy<Name extends ProjectionName> = {
  [Type in DomainEventType]: Name extends (typeof READERS)[Type][number] ? Type : never;
}[DomainEventType];
