export { problemCodesOf, isIdempotent, mediaTypesOf, nameOf, routerPath } from './route-facts.ts';
export { isProblemCode, PROBLEMS, type ProblemCode } from './problems.ts';
export { route, SERVICES, type BodyKind, type RouteContract, type Service } from './route.ts';
export { REQUEST_LIMITS } from './request-limits.ts';
export { ROUTES } from './routes.ts';
export { servicePaths, type ServicePath } from './service-paths.ts';
export { EVENT_CATEGORIES } from './views/events.ts';
export { FUSIONS, GROUNDINGS } from './views/search.ts';
export { RESPONSE_EXAMPLES } from './response-examples.ts';
export { TAGS, type Tag } from './tags.ts';
export { jsonSchemaOf, namedSchemas, referenceTo, type JsonSchema } from './json-schema.ts';
export type { BodySentTo, InputOf, QuerySentTo, ResponseOf, Undeclared } from './types.ts';
export { createApiKey, getCaller, listApiKeys, revokeApiKey } from './routes/api-keys.ts';
export {
  deleteDocument,
  followDocuments,
  getDocument,
  listChunks,
  listDocuments,
  replaceDocument,
  retryDocument,
  submitDocuments,
} from './routes/documents.ts';
export { LISTED_EVENTS } from './listed-events.ts';
export { followEvents, getEvent, listEvents } from './routes/events.ts';
export { getHealth, getLiveness, getReadiness, getRoot } from './routes/health.ts';
export {
  archiveKnowledgeBase,
  configureKnowledgeBase,
  createKnowledgeBase,
  getKnowledgeBase,
  listKnowledgeBases,
  pauseKnowledgeBase,
  resumeKnowledgeBase,
} from './routes/knowledge-bases.ts';
export {
  discardDeadLetter,
  getOverview,
  getReembedding,
  getStatus,
  listDeadLetters,
  rebuildReadModels,
  retireGeneration,
  retryDeadLetter,
  startReembedding,
  verifyReadModels,
} from './routes/operation.ts';
export { retrieveContext, search } from './routes/search.ts';
export { getLimits, getUsage, listAudit, listTenants, setLimits } from './routes/tenants.ts';
export { beginImport, exportScope, importDocuments } from './routes/transfer.ts';
export type { ApiKeyCreated, ApiKeyList, ApiKeyView } from './views/api-keys.ts';
export type { AuditEntry, AuditOutcome, AuditPage } from './views/audit.ts';
export type { CallerView } from './views/caller.ts';
export type { DeadLetterList, DeadLetterQueued, DeadLetterView } from './views/dead-letters.ts';
export type {
  ChunkPage,
  ChunkView,
  DocumentDeleted,
  DocumentDetails,
  DocumentPage,
  DocumentStatus,
  DocumentVersion,
  DocumentView,
  Labels,
  Origin,
  Position,
  Submission,
  SubmissionResult,
} from './views/documents.ts';
export type { EventCategory, EventContent, EventPage, EventView } from './views/events.ts';
export type { HealthReport, LatencyView, OverviewView, RagHealth, SeriesBucket, TenantHealth } from './views/figures.ts';
export type { Greeting, Liveness, Readiness } from './views/health.ts';
export type { Chunking, KnowledgeBaseList, KnowledgeBaseView, KnowledgeBaseWritten } from './views/knowledge-bases.ts';
export type { LimitOverrides, Limits, Quotas, Rate, Rates, TenantList, TenantView, UsageView } from './views/limits.ts';
export type { DocumentChange, StreamEnd } from './views/live.ts';
export type {
  Difference,
  EmbeddingCacheView,
  GenerationRetired,
  RebuildResult,
  ReembedProgress,
  ReembedStarted,
  ScopeView,
  StatusView,
  VerifyResult,
} from './views/operations.ts';
export type {
  Citation,
  ContextResult,
  Downgrade,
  Explanation,
  Filter,
  Grounding,
  Hit,
  HitExplanation,
  SearchResult,
  Strategy,
  Timings,
} from './views/search.ts';
export type {
  ExportEnd,
  ExportHead,
  ExportRecord,
  ExportedBytes,
  ExportedChunk,
  ExportedDocument,
  ExportedDocumentEnd,
  ImportBegun,
  ImportResult,
  ImportedDocument,
  SealedExportHead,
  SealedExportLine,
} from './views/transfer.ts';
