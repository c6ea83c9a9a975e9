export { KnowledgeError, InvalidValue, PartlyAccepted, NotFound, Conflict, Forbidden, Overloaded, NotCaughtUp, Unavailable, ServerAway, StoreRefused, Corrupt, EmbeddingModelMismatch, RateLimited, QuotaExceeded, unreachable, type ReachedQuota } from './errors.ts';
export type { Branded } from './values/brand.ts';
export { tenantId, DEFAULT_TENANT, type TenantId } from './values/tenant.ts';
export { vectorScope, DEPLOYMENT, scopeKey, type VectorScope, type TenantScope } from './values/scope.ts';
export {
  embeddingVersion, embeddingVersionOf, embeddingVersionParts, MAX_DIMENSIONS, chunkingVersion, generationId, generationNumber,
  type EmbeddingVersion, type ChunkingVersion, type GenerationId,
} from './values/versions.ts';
export {
  chunkListId, chunkListOf, DEFAULT_CHUNK_LIST, KNOWLEDGE_BASE_CHUNKING, recipeWith, UNKNOWN_ANALYSER,
  type ChunkingRecipe, type ChunkListId, type EmbeddingRecipe, type Recipe,
} from './values/recipe.ts';
export {
  documentId, chunkId, knowledgeBaseId, sourceId, sha256,
  type DocumentId, type ChunkId, type KnowledgeBaseId, type SourceId, type Digest,
} from './values/ids.ts';
export { documentTitle, shownTitle, fileName, mediaType, languageTag, knowledgeBaseName, knowledgeBaseDescription, chunkText, remark } from './values/texts.ts';
export { chunkPlace } from './values/chunk-place.ts';
export { position, START, laterOf, earlierOf, type Position } from './values/position.ts';
export { STRATEGIES, type Strategy } from './values/strategy.ts';
export {
  NO_TIERS, QUOTAS, REQUEST_KINDS, allowedStrategy, windowOf, withOverrides,
  type LimitOverrides, type Limits, type QuotaName, type Rate, type RequestKind, type TenantUse, type Tiers,
} from './values/limits.ts';
export { labels, origin, ORIGINS, type Labels, type Origin } from './values/labels.ts';
export { filter, matches, type Filter, type Attributes, type Scalar } from './access/filter.ts';
export { IsolationBreach, assertVisible } from './access/assert-visible.ts';
export { authorise, hasRole, isNamedByKey, requireRole, ROLES, type Access, type Role, type PermittedScope } from './access/access.ts';
export {
  streamName, MAX_APPEND_BYTES,
  type EventLog, type StreamName, type NewEvent, type RecordedEvent, type ExpectedRevision, type AppendResult,
  type ReadStreamOptions, type ReadAllOptions, type FollowOptions, type FollowBatch, type Json, type JsonObject,
} from './ports/event-log.ts';
export {
  PermanentFailure, RetryLater,
  type MessageBus, type Message, type Delivery, type ConsumeOptions, type Consumer, type Handler, type DeadLetter,
} from './ports/message-bus.ts';
export { blobKey, type BlobKey, type BlobStore } from './ports/blob-store.ts';
export { ScopeKeyDestroyed, type ScopeCipher, type ScopeKeys } from './ports/scope-keys.ts';
export type { Embedder, EmbeddingProvider, EmbeddingProviders, Embedding, EmbeddingKind, ModelTraits, TenantEmbeddings, TextWindow } from './ports/embedding-provider.ts';
export {
  partitionKey,
  type IndexPartition, type ReadablePartition, type IndexStore, type IndexQuery, type IndexEntry, type IndexRemoval,
} from './ports/index-partition.ts';
export type { VectorIndex, VectorSearch, VectorPut, VectorHit } from './ports/vector-index.ts';
export { NO_LEXICAL_SPREAD, readingLanguages, type LexicalIndex, type LexicalSearch, type LexicalPut, type LexicalHit, type LexicalQuery, type LexicalSpread } from './ports/lexical-index.ts';
export { isWrittenLike, lettersOf, primaryLanguage } from './values/written-language.ts';
export { NO_SPREAD, pooledSpread, spreadOf, standardScore, type ScoreSpread } from './ports/score-spread.ts';
export {
  PARSE_FAILURES,
  type DocumentParser, type ParseInput, type ParseOutcome, type ParseFailure, type ParsedDocument, type Heading, type Page, type Sheet,
} from './ports/document-parser.ts';
export type { TokenCounter } from './ports/token-counter.ts';
export type { Event, EventMetadata, Fact } from './events/event.ts';
export { WAITING_FOR_MODEL } from './events/document-events.ts';
export type {
  DocumentEvent, DocumentSubmitted, DocumentProcessingStarted, KnowledgeChunkIndexed, KnowledgeChunkFailed, KnowledgeChunkReembedded,
  KnowledgeChunkReembedFailed, DocumentIndexed, DocumentSkipped, DocumentFailed, DocumentDeferred, DocumentDeleted, Submission, ChunkPlace, ChunkText,
} from './events/document-events.ts';
export type {
  DocumentIds, KnowledgeBaseEvent, KnowledgeBaseSettings, ChunkingSettings, KnowledgeBaseCreated, KnowledgeBaseConfigured, KnowledgeBaseArchived,
  KnowledgeBasePaused, KnowledgeBaseResumed,
} from './events/knowledge-base-events.ts';
export type { ScopeEvent, ScopeOpened, GenerationStarted, GenerationActivated, GenerationRetired } from './events/scope-events.ts';
export type { RetrievalEvent, RetrievalRecordData, RetrievalRuntime, SealedRequest, KnowledgeRetrieved, KnowledgeRetrievalMiss } from './events/retrieval-events.ts';
export type { AccessRecord, AccessRecorded, AuditEvent } from './events/audit-events.ts';
export type { TenantEvent, ApiKeyIssued, ApiKeyRevoked, TenantLimitsSet } from './events/tenant-events.ts';
export type { DomainEvent, DomainEventType, EventFamilies, EventOfType } from './events/domain-event.ts';
export { IGNORED, projection, type Handlers, type Projection } from './projection.ts';
export type { Decider } from './deciders/decider.ts';
export { awaitsWork, document, type Document, type DocumentCommand, type IndexingResult, type CurrentVersion, type RecordedChunk } from './deciders/document.ts';
export { knowledgeBase, type KnowledgeBase, type KnowledgeBaseCommand, type KnowledgeBaseStatus } from './deciders/knowledge-base.ts';
export { scope, activeGeneration, liveGenerations, type Scope, type ScopeCommand, type Generation } from './deciders/scope.ts';
export { tenant, type Tenant, type TenantCommand } from './deciders/tenant.ts';
export { knowledgeBaseStream, documentStream, scopeStream, auditStream, deniedStream, retrievalStream, tenantStream } from './streams.ts';
export { DOCUMENT_STATES, type RefusedChunks, type ScopeCounts, type CatalogChunk, type VisibleChunk, type DocumentView, type DocumentVersionView, type DocumentState, type DocumentQuery, type KnowledgeBaseView, type ScopeView, type StateCounts, type Page as ListPage } from './ports/catalog/catalog-views.ts';
export type { Catalog } from './ports/catalog/catalog.ts';
export type { CatalogReader } from './ports/catalog/catalog-reader.ts';
export type { CatalogChange, ChunkContent } from './ports/catalog/catalog-changes.ts';
export type { CatalogRow, CatalogContents } from './ports/catalog/catalog-contents.ts';
export type { WaitingDocument, DeferredDocument, LanguageCount, LanguageOfBase, CatalogWork } from './ports/catalog/catalog-work.ts';
export type { CatalogStore } from './ports/catalog/catalog-store.ts';
export { UNLIMITED, type QuotaPolicy, type Downgrade, type EffectiveLimits, type Reservation, type RetrievalReservation } from './ports/quota-policy.ts';
export type { BucketRule, BucketState, RateBuckets } from './ports/rate-buckets.ts';
export type { Checkpoints } from './ports/checkpoints.ts';
export type { ReadModels } from './ports/read-models.ts';
export type { CatalogView, ReadView, Views } from './ports/read-view.ts';
export type { LeaseMembership, PartitionLeases } from './ports/partition-leases.ts';
export type { OrderedPut, OrderedRemoval, ShareProgress, SharedVectors } from './ports/shared-vectors.ts';
export { shareOf } from './values/share-of.ts';
