import type { DomainEvent } from '@palimpsest/knowledge/events';
import type { Json } from '@palimpsest/knowledge/ports';
import { DEFAULT_CHUNK_LIST, KNOWLEDGE_BASE_CHUNKING, UNKNOWN_ANALYSER } from '@palimpsest/knowledge/values';
import { EventCodec, type Upcaster, type WireEvents } from './event-codec.ts';
import { documentSchemas } from './schemas/document-schemas.ts';
import { auditSchemas, knowledgeBaseSchemas, retrievalSchemas, scopeSchemas, tenantSchemas } from './schemas/other-schemas.ts';

// Version 1 had all fields in the clear. Version 2 seals fields; what a type gained besides is added to events of version 1.

/** Nothing besides the sealing. */
const sealedSince2: readonly Upcaster[] = [(data) => data];
const adding = (fields: Readonly<Record<string, Json>>): readonly Upcaster[] => [(data) => ({ ...data, ...fields })];

const withRecipe: Upcaster = ({ embeddingVersion = null, ...data }) => ({
  ...data,
  recipe: { embedding: { version: embeddingVersion }, chunking: { ...KNOWLEDGE_BASE_CHUNKING } as Json, analyser: UNKNOWN_ANALYSER },
});

/** The labels of a chunk were those of its document. */
const withoutLabels: Upcaster = ({ labels: _, ...data }) => data;

const ERASED = 'erased';

/** The compiler checks each schema against the domain type: a missing or misspelt field does not compile. */
const wireEvents: WireEvents<DomainEvent> = {
  DocumentSubmitted: {
    schema: documentSchemas.DocumentSubmitted,
    upcasters: sealedSince2,
    sealed: { sourceId: ERASED as never, title: undefined, fileName: undefined, labels: {} },
  },
  DocumentProcessingStarted: { schema: documentSchemas.DocumentProcessingStarted },
  KnowledgeChunkIndexed: { schema: documentSchemas.KnowledgeChunkIndexed, upcasters: [withoutLabels], sealed: { symbol: undefined } },
  KnowledgeChunkFailed: { schema: documentSchemas.KnowledgeChunkFailed, upcasters: sealedSince2, sealed: { reason: ERASED } },
  KnowledgeChunkReembedded: { schema: documentSchemas.KnowledgeChunkReembedded },
  KnowledgeChunkReembedFailed: { schema: documentSchemas.KnowledgeChunkReembedFailed, upcasters: sealedSince2, sealed: { reason: ERASED } },
  DocumentIndexed: {
    schema: documentSchemas.DocumentIndexed,
    upcasters: adding({ chunkList: DEFAULT_CHUNK_LIST }),
    sealed: { sourceId: ERASED as never, title: ERASED, labels: {}, metadata: {}, warnings: [] },
  },
  DocumentSkipped: { schema: documentSchemas.DocumentSkipped },
  DocumentFailed: { schema: documentSchemas.DocumentFailed, upcasters: sealedSince2, sealed: { detail: ERASED } },
  DocumentDeferred: { schema: documentSchemas.DocumentDeferred, upcasters: sealedSince2, sealed: { detail: ERASED } },
  DocumentDeleted: { schema: documentSchemas.DocumentDeleted },
  KnowledgeBaseCreated: {
    schema: knowledgeBaseSchemas.KnowledgeBaseCreated,
    upcasters: adding({ documentIds: 'plain' }),
    sealed: { name: ERASED, description: '' },
  },
  KnowledgeBaseConfigured: {
    schema: knowledgeBaseSchemas.KnowledgeBaseConfigured,
    upcasters: sealedSince2,
    sealed: { name: ERASED, description: '' },
  },
  KnowledgeBaseArchived: { schema: knowledgeBaseSchemas.KnowledgeBaseArchived },
  KnowledgeBasePaused: { schema: knowledgeBaseSchemas.KnowledgeBasePaused },
  KnowledgeBaseResumed: { schema: knowledgeBaseSchemas.KnowledgeBaseResumed },
  ScopeOpened: { schema: scopeSchemas.ScopeOpened },
  GenerationStarted: { schema: scopeSchemas.GenerationStarted, upcasters: [withRecipe] },
  GenerationActivated: { schema: scopeSchemas.GenerationActivated },
  GenerationRetired: { schema: scopeSchemas.GenerationRetired },
  // Several scopes can be searched at once: a record seals what concerns content itself, under the key of `keyScope`.
  KnowledgeRetrieved: { schema: retrievalSchemas.KnowledgeRetrieved, upcasters: sealedSince2 },
  KnowledgeRetrievalMiss: { schema: retrievalSchemas.KnowledgeRetrievalMiss, upcasters: sealedSince2 },
  ApiKeyIssued: { schema: tenantSchemas.ApiKeyIssued },
  ApiKeyRevoked: { schema: tenantSchemas.ApiKeyRevoked },
  TenantLimitsSet: { schema: tenantSchemas.TenantLimitsSet },
  AccessRecorded: { schema: auditSchemas.AccessRecorded },
};

/** The codec for all events on the log. */
export const domainCodec = new EventCodec<DomainEvent>(wireEvents);
