import type { AuditEvent } from './audit-events.ts';
import type { DocumentEvent } from './document-events.ts';
import type { KnowledgeBaseEvent } from './knowledge-base-events.ts';
import type { RetrievalEvent } from './retrieval-events.ts';
import type { ScopeEvent } from './scope-events.ts';
import type { TenantEvent } from './tenant-events.ts';

/** Events by family. A projection handles or ignores a whole family, or decides for each of its types. */
export type EventFamilies = Readonly<{
  documents: DocumentEvent;
  knowledgeBases: KnowledgeBaseEvent;
  scopes: ScopeEvent;
  retrievals: RetrievalEvent;
  tenants: TenantEvent;
  audit: AuditEvent;
}>;

export type DomainEvent = EventFamilies[keyof EventFamilies];
export type DomainEventType = DomainEvent['type'];
export type EventOfType<Type extends DomainEventType> = Extract<DomainEvent, { type: Type }>;
