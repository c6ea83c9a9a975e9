export {
  streamName,
  MAX_APPEND_BYTES,
  type EventLog,
  type StreamName,
  type NewEvent,
  type RecordedEvent,
  type ExpectedRevision,
  type AppendResult,
  type ReadStreamOptions,
  type ReadAllOptions,
  type FollowOptions,
  type FollowBatch,
  type Json,
  type JsonObject,
} from '../ports/event-log.ts';
export {
  PermanentFailure,
  RetryLater,
  type MessageBus,
  type Message,
  type Delivery,
  type ConsumeOptions,
  type Consumer,
  type Handler,
  type DeadLetter,
} from '../ports/message-bus.ts';
export { blobKey, type BlobKey, type BlobStore } from '../ports/blob-store.ts';
export type { Signer } from '../ports/signer.ts';
export { ScopeKeyDestroyed, type ScopeCipher, type ScopeKeys } from '../ports/scope-keys.ts';
export type {
  Embedder,
  EmbeddingProvider,
  EmbeddingProviders,
  Embedding,
  EmbeddingKind,
  ModelTraits,
  RegisteredModel,
  TenantEmbeddings,
  TextWindow,
} from '../ports/embedding-provider.ts';
export {
  PARSE_FAILURES,
  type DocumentParser,
  type ParseInput,
  type ParseOutcome,
  type ParseFailure,
  type ParsedDocument,
  type Heading,
  type Page,
  type Sheet,
} from '../ports/document-parser.ts';
export type { GoldenQueries, GoldenQuery, GoldenSet } from '../ports/golden-queries.ts';
export type { ModelRegistry, RecordFingerprint } from '../ports/model-registry.ts';
export type { TokenCounter } from '../ports/token-counter.ts';
export type { Checkpoints } from '../ports/checkpoints.ts';
export type { LeaseMembership, PartitionLeases } from '../ports/partition-leases.ts';
