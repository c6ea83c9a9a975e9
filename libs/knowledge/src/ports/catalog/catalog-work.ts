import type { DocumentId, KnowledgeBaseId } from '../../values/ids.ts';
import type { TenantUse } from '../../values/limits.ts';
import type { ChunkListId } from '../../values/recipe.ts';
import type { TenantScope, VectorScope } from '../../values/scope.ts';
import type { TenantId } from '../../values/tenant.ts';

/** Number of visible chunks of one knowledge base in one language (ISO 639-1, or `und`), and of the documents that contain them. */
export type LanguageCount = Readonly<{ knowledgeBase: KnowledgeBaseId; language: string; documents: number; chunks: number }>;
export type LanguageOfBase = Pick<LanguageCount, 'knowledgeBase' | 'language'>;
/** The latest version of a document that is not indexed yet. */
export type WaitingDocument = Readonly<{ documentId: DocumentId; scope: VectorScope; version: number; submittedAt: string }>;

/** A deferred document. `deferredAt` distinguishes one deferral from the next. */
export type DeferredDocument = Readonly<{ documentId: DocumentId; version: number; deferredAt: string }>;

/** What workers and quotas ask for: whatever they may read, in the order in which they work. */
export interface CatalogWork {
  /** Usage of the tenant over all its scopes, without archived knowledge bases. Takes no longer than a lookup by key. */
  use(tenant: TenantId): Promise<TenantUse>;
  /** `bytes` of the latest version; `chunks` of the indexed version. */
  documentSize(tenant: TenantId, id: DocumentId): Promise<Readonly<{ bytes: number; chunks: number }> | undefined>;
  /** Indexed documents of a scope after `after`, ordered by id. `of` restricts them to one knowledge base and language. */
  indexedDocuments(scope: TenantScope, limit: number, after?: DocumentId, of?: LanguageOfBase): Promise<readonly DocumentId[]>;
  /** The version of these documents that the list contains; documents without the list are omitted. */
  listedVersions(scope: TenantScope, list: ChunkListId, ids: readonly DocumentId[]): Promise<ReadonlyMap<DocumentId, number>>;
  /** Languages of the documents of a scope by knowledge base, in no particular order. */
  languages(scope: TenantScope): Promise<readonly LanguageCount[]>;
  /** Pending and processing documents of a knowledge base after `after`, in order of submission. */
  waitingDocuments(
    tenant: TenantId,
    id: KnowledgeBaseId,
    limit: number,
    after?: Pick<WaitingDocument, 'documentId' | 'submittedAt'>,
  ): Promise<readonly WaitingDocument[]>;
  /** Knowledge bases whose deletion was requested and is not complete, of all tenants, in no particular order. */
  deletingKnowledgeBases(): Promise<readonly Readonly<{ tenant: TenantId; id: KnowledgeBaseId }>[]>;
  /** All documents of a knowledge base after `after`, ordered by id. */
  documentsIn(tenant: TenantId, id: KnowledgeBaseId, limit: number, after?: DocumentId): Promise<readonly DocumentId[]>;
  /** Documents of a scope that wait for its embedding model, in order of submission. Omits paused knowledge bases. */
  deferredDocuments(scope: TenantScope, limit: number): Promise<readonly DeferredDocument[]>;
}
