export { PalimpsestClient } from './palimpsest-client.ts';
export type { ClientOptions } from './palimpsest-client.ts';
export type { DocumentsClient, UploadOptions, WriteOptions } from './documents-client.ts';
export type { KnowledgeBasesClient } from './knowledge-bases-client.ts';
export type { EventsClient } from './events-client.ts';
export type { OperationsClient } from './operations-client.ts';
export type { FollowOptions, ReconnectNotice } from './live/follow.ts';
export type { TenantsClient } from './tenants-client.ts';
export type { TransferClient } from './transfer-client.ts';
export { fetchWithProgress } from './fetch-with-progress.ts';
export type { ProgressRequest, SendProgress } from './fetch-with-progress.ts';
export { ConnectionError, ProblemError } from './errors.ts';
export type { CallOptions } from './call-options.ts';
export type { RetryNotice } from './transport.ts';
export type { Awaited, WaitOptions, WaitProgress, WaitResult } from './wait-for.ts';
export type {
  ChunkView,
  DocumentDetails,
  DocumentFields,
  DocumentFilter,
  DocumentPage,
  DocumentStatus,
  DocumentVersion,
  DocumentView,
  FileContent,
  Labels,
  Origin,
  Submission,
  SubmissionResult,
  TextDocument,
} from './views/documents.ts';
export type { EventCategory, EventContent, EventFilter, EventPage, EventQuery, EventView } from './views/events.ts';
export type { AuditEntry, AuditOutcome, AuditPage, AuditQuery } from './views/audit.ts';
export type { HealthReport, LatencyView, OverviewView, RagHealth, SeriesBucket, TenantHealth } from './views/figures.ts';
export type { DocumentChange, DocumentChangeFilter, StreamEnd } from './views/live.ts';
export type { KnowledgeBaseChange, KnowledgeBaseView, NewKnowledgeBase } from './views/knowledge-bases.ts';
export type { CallerView } from './views/caller.ts';
export type { ContextRequest, ContextResult, Downgrade, Filter, Grounding, Hit, SearchRequest, SearchResult, Strategy } from './views/search.ts';
export type { ApiKeyView, DeadLetterQuery, DeadLetterView, GenerationRetired, NewApiKey, RebuildResult, ReembedProgress, StatusView, VerifyResult } from './views/operations.ts';
export type { LimitOverrides, Limits, Quotas, Rate, Rates, TenantLimits, TenantView, UsageView } from './views/limits.ts';
export type { ExportEnd, ExportHead, ImportBegun, ImportedDocument, ImportOptions, ImportResult, SealedExportHead, SealedExportLine } from './views/transfer.ts';
export { LEFT_OUT_BECAUSE, leftOutOf, mayHoldSecrets, reasonToLeaveOut, type LeftOut, type LeftOutReason } from './files/left-out.ts';
