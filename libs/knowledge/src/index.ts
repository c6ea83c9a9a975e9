export { KnowledgeError, InvalidValue, NotFound, Conflict, Forbidden, Overloaded, NotCaughtUp, Unavailable, Corrupt, EmbeddingModelMismatch, unreachable } from './errors.ts';
export type { Branded } from './values/brand.ts';
export { tenantId, DEFAULT_TENANT, type TenantId } from './values/tenant.ts';
export { vectorScope, DEPLOYMENT, scopeKey, type VectorScope, type TenantScope } from './values/scope.ts';
export {
  embeddingVersion, embeddingVersionOf, embeddingVersionParts, chunkingVersion, generationId, generationNumber,
  type EmbeddingVersion, type ChunkingVersion, type GenerationId,
} from './values/versions.ts';
export {
  documentId, chunkId, knowledgeBaseId, sourceId, sha256,
  type DocumentId, type ChunkId, type KnowledgeBaseId, type SourceId, type Sha256,
} from './values/ids.ts';
export { position, START, laterOf, earlierOf, type Position } from './values/position.ts';
export { labels, origin, ORIGINS, type Labels, type Origin } from './values/labels.ts';
export { filter, matches, type Filter, type Attributes, type Scalar } from './access/filter.ts';
export { authorise, hasRole, requireRole, ROLES, type Access, type Role, type PermittedScope } from './access/access.ts';
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
export type { EmbeddingProvider, EmbeddingProviders, Embedding, EmbeddingKind } from './ports/embedding-provider.ts';
export {
  partitionKey,
  type IndexPartition, type ReadablePartition, type IndexStore, type IndexQuery, type IndexEntry, type IndexRemoval,
} from './ports/index-partition.ts';
export type { VectorIndex, VectorPut, VectorHit } from './ports/vector-index.ts';
export type { LexicalIndex, LexicalPut, LexicalHit } from './ports/lexical-index.ts';
export {
  PARSE_FAILURES,
  type DocumentParser, type ParseInput, type ParseOutcome, type ParseFailure, type ParsedDocument, type Heading, type Page, type Sheet,
} from './ports/document-parser.ts';
export type { TokenCounter } from './ports/token-counter.ts';
