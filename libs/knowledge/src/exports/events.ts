export type { Event, EventMetadata, Fact } from '../events/event.ts';
export { WAITING_FOR_MODEL } from '../events/document-events.ts';
export type {
  DocumentEvent,
  DocumentSubmitted,
  DocumentProcessingStarted,
  KnowledgeChunkIndexed,
  KnowledgeChunkFailed,
  KnowledgeChunkReembedded,
  KnowledgeChunkReembedFailed,
  DocumentIndexed,
  DocumentSkipped,
  DocumentFailed,
  DocumentDeferred,
  DocumentDeleted,
  Submission,
  ChunkPlace,
  ChunkText,
} from '../events/document-events.ts';
export type {
  DocumentIds,
  KnowledgeBaseEvent,
  KnowledgeBaseSettings,
  ChunkingSettings,
  KnowledgeBaseCreated,
  KnowledgeBaseConfigured,
  KnowledgeBaseArchived,
  KnowledgeBasePaused,
  KnowledgeBaseResumed,
} from '../events/knowledge-base-events.ts';
export type { ScopeEvent, ScopeOpened, GenerationStarted, GenerationActivated, GenerationRetired } from '../events/scope-events.ts';
export type {
  RetrievalEvent,
  RetrievalRecordData,
  RetrievalRuntime,
  SealedRequest,
  KnowledgeRetrieved,
  KnowledgeRetrievalMiss,
} from '../events/retrieval-events.ts';
export type { AccessRecord, AccessRecorded, AuditEvent } from '../events/audit-events.ts';
export type { TenantEvent, ApiKeyIssued, ApiKeyRevoked, TenantLimitsSet } from '../events/tenant-events.ts';
export type { DomainEvent, DomainEventType, EventFamilies, EventOfType } from '../events/domain-event.ts';
export { IGNORED, projection, type Handlers, type Projection } from '../projection.ts';
