import type { BodySentTo, LineSentTo, Origin, QuerySentTo } from '@palimpsest/contracts/http';
import type { createApiKey } from '@palimpsest/contracts/routes/api-keys';
import type { diffVersions } from '@palimpsest/contracts/routes/document-versions';
import type { deleteDocuments, followDocuments, listDocuments, submitDocuments } from '@palimpsest/contracts/routes/documents';
import type { listEvents } from '@palimpsest/contracts/routes/events';
import type { configureKnowledgeBase, createKnowledgeBase } from '@palimpsest/contracts/routes/knowledge-bases';
import type { planFleet, startFleet } from '@palimpsest/contracts/routes/fleets';
import type { importGoldenSet } from '@palimpsest/contracts/routes/golden';
import type { listDeadLetters } from '@palimpsest/contracts/routes/operation';
import type { replayRetrieval, replayWindow } from '@palimpsest/contracts/routes/replay';
import type { retrieveContext, search } from '@palimpsest/contracts/routes/search';
import type { addModel } from '@palimpsest/contracts/routes/models';
import type { listAudit, setLimits } from '@palimpsest/contracts/routes/tenants';
import type { getLineage, verifyLog } from '@palimpsest/contracts/routes/proofs';
import type { listTimeline } from '@palimpsest/contracts/routes/timeline';
import type { beginImport, importDocuments } from '@palimpsest/contracts/routes/transfer';

/** A document with its text. `sourceId` is the owner's name for it: for example a path, a URL or a key. */
export type TextDocument = Omit<BodySentTo<typeof submitDocuments>, 'origin'> & Readonly<{ origin?: Origin | undefined }>;

/** Fields of a document in addition to its content. */
export type DocumentFields = Omit<TextDocument, 'sourceId' | 'text' | 'mediaType'>;

export type FileContent = Readonly<{
  /** Becomes the document's source id; may contain "/". */
  name: string;
  content: Uint8Array | Blob;
  mediaType?: string | undefined;
}>;

/** Which documents to delete. */
export type DocumentSelection = BodySentTo<typeof deleteDocuments>;
export type DocumentFilter = Omit<QuerySentTo<typeof listDocuments>, 'filter'> & Pick<DocumentSelection, 'filter'>;
/** Two versions of a document to compare. */
export type VersionPair = QuerySentTo<typeof diffVersions>;
export type DocumentChangeFilter = Omit<QuerySentTo<typeof followDocuments>, 'after'>;

export type NewKnowledgeBase = BodySentTo<typeof createKnowledgeBase>;
export type KnowledgeBaseChange = BodySentTo<typeof configureKnowledgeBase>;

export type SearchRequest = BodySentTo<typeof search>;
export type ReplayRequest = BodySentTo<typeof replayRetrieval>;
export type ReplayWindowRequest = BodySentTo<typeof replayWindow>;
export type ContextRequest = BodySentTo<typeof retrieveContext>;

type Listed = QuerySentTo<typeof listEvents>;
/** Selects events. A filter on something that the caller may not read matches nothing. `types`: events of any of these types. */
export type EventFilter = Pick<Listed, 'stream' | 'document' | 'knowledgeBase' | 'scope'> &
  Readonly<{ types?: readonly string[] | undefined }>;
export type EventQuery = EventFilter & Pick<Listed, 'direction' | 'limit' | 'cursor'>;

/** `after` and `before`: a position, or a time in RFC 3339. */
export type LineageRequest = BodySentTo<typeof getLineage>;
export type VerifyLogRequest = BodySentTo<typeof verifyLog>;
export type TimelineQuery = QuerySentTo<typeof listTimeline>;

export type AuditQuery = QuerySentTo<typeof listAudit>;
export type DeadLetterQuery = QuerySentTo<typeof listDeadLetters>;
/** The server refuses unknown roles. */
export type NewApiKey = Omit<BodySentTo<typeof createApiKey>, 'roles'> & Readonly<{ roles?: readonly string[] | undefined }>;
/** A query with its judgements: each names a document by source or id. */
export type GoldenQueryToImport = LineSentTo<typeof importGoldenSet>;
/** All scopes of the tenant of the key, unless `allTenants` is set. A missing field has the default of the route. */
export type NewFleet = BodySentTo<typeof startFleet>;
export type FleetPlanRequest = BodySentTo<typeof planFleet>;
export type NewModel = BodySentTo<typeof addModel>;
export type TenantLimits = BodySentTo<typeof setLimits>;

/** Of both steps of an import. */
export type ImportOptions = QuerySentTo<typeof importDocuments> & Pick<BodySentTo<typeof beginImport>, 'reembed' | 'rename'>;
