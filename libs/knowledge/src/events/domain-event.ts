import type { AuditEvent } from './audit-events.ts';
import type { DocumentEvent } from './document-events.ts';
import type { KnowledgeBaseEvent } from './knowledge-base-events.ts';
import type { RetrievalEvent } from './retrieval-events.ts';
import type { ScopeEvent } from './scope-events.ts';
import type { TenantEvent } from './tenant-events.ts';

export type DomainEvent = DocumentEvent | KnowledgeBaseEvent | ScopeEvent | RetrievalEvent | TenantEvent | AuditEvent;
export type DomainEventType = DomainEvent['type'];
export type EventOfType<Type extends DomainEventType> = Extract<DomainEvent, { type: Type }>;
