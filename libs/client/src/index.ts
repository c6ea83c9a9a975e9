export { PalimpsestClient } from './palimpsest-client.ts';
export type { ClientOptions } from './palimpsest-client.ts';
export type { DocumentsClient, UploadOptions, WriteOptions } from './documents-client.ts';
export type { KnowledgeBasesClient } from './knowledge-bases-client.ts';
export type { EventsClient } from './events-client.ts';
export type { OperationsClient } from './operations-client.ts';
export type { FollowOptions, ReconnectNotice } from './live/follow.ts';
export type { FleetsClient } from './fleets-client.ts';
export type { GoldenClient } from './golden-client.ts';
export type { ModelsClient } from './models-client.ts';
export type { RetrievalsClient, WindowOptions } from './retrievals-client.ts';
export type { ReplayedSearches } from './replay-pages.ts';
export type { TenantsClient } from './tenants-client.ts';
export type { CanaryOptions, EvaluationOptions, QueryWindow, SwapPlanOptions, SwapsClient, SwapTarget } from './swaps-client.ts';
export type { StrategiesClient } from './strategies-client.ts';
export type { ErasuresClient } from './erasures-client.ts';
export type { TimelineClient } from './timeline-client.ts';
export type { TransferClient } from './transfer-client.ts';
export { fetchWithProgress } from './fetch-with-progress.ts';
export type { ProgressRequest, SendProgress } from './fetch-with-progress.ts';
export { ConnectionError, ProblemError } from './errors.ts';
export type { CallOptions, InTime } from './call-options.ts';
export { isWorthRetrying } from './retry.ts';
export type { RetryNotice } from './transport.ts';
export type { Awaited, WaitOptions, WaitProgress, WaitResult } from './wait-for.ts';
export type * from '@palimpsest/contracts/views';
export type {
  AuditQuery,
  ContextRequest,
  DeadLetterQuery,
  DocumentChangeFilter,
  DocumentFields,
  DocumentFilter,
  DocumentSelection,
  EventFilter,
  EventQuery,
  FileContent,
  FleetPlanRequest,
  GoldenQueryToImport,
  ImportOptions,
  KnowledgeBaseChange,
  LineageRequest,
  NewApiKey,
  NewFleet,
  NewKnowledgeBase,
  NewModel,
  ReplayRequest,
  ReplayWindowRequest,
  SearchRequest,
  TenantLimits,
  TextDocument,
  TimelineQuery,
  VerifyLogRequest,
  VersionPair,
} from './requests.ts';
export { REQUEST_LIMITS } from './request-limits.ts';
export { describeFloors, type DescribedFloors, type FloorRow } from './score-floors.ts';
export { LEFT_OUT_BECAUSE, leftOutOf, mayHoldSecrets, reasonToLeaveOut, type LeftOut, type LeftOutReason } from './files/left-out.ts';
