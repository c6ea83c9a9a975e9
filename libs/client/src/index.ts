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
  ApiKeyView,
  AuditEntry,
  AuditOutcome,
  AuditPage,
  CallerView,
  ChunkView,
  ContextResult,
  DeadLetterView,
  DocumentChange,
  DocumentDetails,
  DocumentPage,
  DocumentStatus,
  DocumentVersion,
  DocumentView,
  Downgrade,
  EventCategory,
  EventContent,
  EventPage,
  EventView,
  ExportEnd,
  ExportHead,
  Filter,
  GenerationRetired,
  Grounding,
  HealthReport,
  Hit,
  ImportBegun,
  ImportResult,
  ImportedDocument,
  KnowledgeBaseView,
  Labels,
  LatencyView,
  LimitOverrides,
  Limits,
  Origin,
  OverviewView,
  Quotas,
  RagHealth,
  Rate,
  Rates,
  RebuildResult,
  ReembedProgress,
  SealedExportHead,
  SealedExportLine,
  SearchResult,
  SeriesBucket,
  StatusView,
  Strategy,
  StreamEnd,
  Submission,
  SubmissionResult,
  TenantHealth,
  TenantView,
  UsageView,
  VerifyResult,
} from '@palimpsest/contracts/http';
export type {
  AuditQuery,
  ContextRequest,
  DeadLetterQuery,
  DocumentChangeFilter,
  DocumentFields,
  DocumentFilter,
  EventFilter,
  EventQuery,
  FileContent,
  ImportOptions,
  KnowledgeBaseChange,
  NewApiKey,
  NewKnowledgeBase,
  SearchRequest,
  TenantLimits,
  TextDocument,
} from './requests.ts';
export { REQUEST_LIMITS } from './request-limits.ts';
export { LEFT_OUT_BECAUSE, leftOutOf, mayHoldSecrets, reasonToLeaveOut, type LeftOut, type LeftOutReason } from './files/left-out.ts';
