import type { PermittedScope } from '../access/access.ts';
import type { ChunkPlace } from '../events/document-events.ts';
import type { KnowledgeBaseSettings } from '../events/knowledge-base-events.ts';
import type { KnowledgeBaseStatus } from '../deciders/knowledge-base.ts';
import type { Generation } from '../deciders/scope.ts';
import type { ChunkId, DocumentId, KnowledgeBaseId, Digest, SourceId } from '../values/ids.ts';
import type { Labels, Origin } from '../values/labels.ts';
import type { TenantUse } from '../values/limits.ts';
import type { Position } from '../values/position.ts';
import type { TenantScope, VectorScope } from '../values/scope.ts';
import type { TenantId } from '../values/tenant.ts';
import type { ChunkingVersion, GenerationId } from '../values/versions.ts';

export type KnowledgeBaseView = KnowledgeBaseSettings &
  Readonly<{ id: KnowledgeBaseId; tenant: TenantId; scope: VectorScope; status: KnowledgeBaseStatus; documents: number; createdAt: string }>;

export const DOCUMENT_STATES = ['pending', 'processing', 'indexed', 'failed'] as const;
export type DocumentState = (typeof DOCUMENT_STATES)[number];

export type DocumentView = Readonly<{
  documentId: DocumentId;
  tenant: TenantId;
  scope: VectorScope;
  knowledgeBase: KnowledgeBaseId;
  sourceId: SourceId;
  title: string;
  status: DocumentState;
  /** Latest submitted version. Searches see `indexedVersion`. */
  version: number;
  indexedVersion?: number;
  /** Why the latest version failed, or what it waits for: a code, and a message for users. */
  reason?: string;
  detail?: string;
  mediaType: string;
  bytes: number;
  chunks: number;
  failedChunks: number;
  language: string;
  labels: Labels;
  origin: Origin;
  warnings: readonly string[];
  submittedAt: string;
  indexedAt?: string;
}>;

export type DocumentVersionView = Readonly<{
  version: number;
  status: DocumentState;
  submittedAt: string;
  finishedAt?: string;
  checksum: Digest;
  bytes: number;
  chunks?: number;
  reason?: string;
}>;

/** A chunk that searches see. `sealedText` holds a `ChunkText`; it is decrypted only for responses. */
export type CatalogChunk = ChunkPlace &
  Readonly<{
    chunkId: ChunkId;
    documentId: DocumentId;
    index: number;
    of: number;
    contentHash: Digest;
    sealedText: Uint8Array;
    language: string;
    symbol?: string;
  }>;

/** A chunk with the attributes of its document. */
export type VisibleChunk = CatalogChunk &
  Readonly<{
    scope: VectorScope;
    knowledgeBase: KnowledgeBaseId;
    sourceId: SourceId;
    title: string;
    labels: Labels;
    origin: Origin;
    version: number;
    indexedAt: string;
  }>;

type Content = Pick<CatalogChunk, 'contentHash' | 'sealedText' | 'language' | 'symbol'>;
export type ChunkContent = Content & Readonly<{ chunkId: ChunkId }>;

export type CatalogChange =
  | Readonly<{ change: 'knowledge-base-created'; tenant: TenantId; id: KnowledgeBaseId; scope: VectorScope; settings: KnowledgeBaseSettings; at: string }>
  | Readonly<{ change: 'knowledge-base-configured'; tenant: TenantId; id: KnowledgeBaseId; settings: KnowledgeBaseSettings }>
  | Readonly<{ change: 'knowledge-base-archived'; tenant: TenantId; id: KnowledgeBaseId }>
  | Readonly<{ change: 'knowledge-base-paused'; tenant: TenantId; id: KnowledgeBaseId }>
  | Readonly<{ change: 'knowledge-base-resumed'; tenant: TenantId; id: KnowledgeBaseId }>
  | Readonly<{
      change: 'document-submitted';
      tenant: TenantId; scope: VectorScope; documentId: DocumentId; knowledgeBase: KnowledgeBaseId; sourceId: SourceId; version: number;
      title: string; mediaType: string; bytes: number; checksum: Digest; labels: Labels; origin: Origin; at: string;
    }>
  | Readonly<{ change: 'document-processing'; tenant: TenantId; documentId: DocumentId; version: number }>
  | Readonly<{ change: 'document-failed'; tenant: TenantId; documentId: DocumentId; version: number; reason: string; detail: string; at: string }>
  | Readonly<{ change: 'document-deferred'; tenant: TenantId; documentId: DocumentId; version: number; reason: string; detail: string; at: string }>
  | Readonly<{
      change: 'document-indexed';
      tenant: TenantId; scope: VectorScope; documentId: DocumentId; version: number; title: string; mediaType: string; language: string;
      chunkingVersion: ChunkingVersion; labels: Labels; origin: Origin; metadata: Readonly<Record<string, string>>;
      failedChunks: number; warnings: readonly string[]; at: string;
      /** All chunks in order. Chunks that are not in `contents` keep their stored content. */
      chunks: readonly (ChunkPlace & Readonly<{ chunkId: ChunkId }>)[];
      contents: readonly ChunkContent[];
    }>
  | Readonly<{ change: 'document-deleted'; tenant: TenantId; documentId: DocumentId }>
  | Readonly<{ change: 'generation'; scope: TenantScope; generation: Generation }>
  /** The generation of the scope that was active becomes standby. */
  | Readonly<{ change: 'generation-activated'; scope: TenantScope; id: GenerationId }>
  | Readonly<{ change: 'generation-retired'; scope: TenantScope; id: GenerationId }>;

export type DocumentQuery = Readonly<{
  knowledgeBase?: KnowledgeBaseId;
  status?: DocumentState;
  /** Prefix of the source id. */
  source?: string;
  limit: number;
  /** `next` of the previous page. */
  cursor?: string;
}>;

/** `total`: number of items over all pages, if requested. */
export type Page<T> = Readonly<{ items: readonly T[]; next?: string; total?: number }>;
export type ScopeView = Readonly<{ scope: TenantScope; generations: readonly Generation[] }>;
/** `held`: pending or processing documents whose knowledge base is paused or whose embedding model is missing. */
export type StateCounts = Readonly<Record<DocumentState, number>> & Readonly<{ total: number; held: number }>;
export type ScopeCounts = Readonly<{ documents: StateCounts; chunks: number }>;
/** Number of visible chunks of one knowledge base in one language (ISO 639-1, or `und`). */
export type LanguageCount = Readonly<{ knowledgeBase: KnowledgeBaseId; language: string; chunks: number }>;
export type LanguageOfBase = Pick<LanguageCount, 'knowledgeBase' | 'language'>;
/** The latest version of a document that is not indexed yet. */
export type WaitingDocument = Readonly<{ documentId: DocumentId; scope: VectorScope; version: number; submittedAt: string }>;

/** A deferred document. `deferredAt` distinguishes one deferral from the next. */
export type DeferredDocument = Readonly<{ documentId: DocumentId; version: number; deferredAt: string }>;

/**
 * One row of a catalog, identified by table, tenant, scope and key (for a chunk: its id). Table names depend on the implementation.
 * `digest` covers all columns except texts, which are sealed.
 */
export type CatalogRow = Readonly<{ table: string; tenant: TenantId; scope: string; key: string; digest: string }>;

/**
 * Read model of knowledge bases, documents, chunks and scopes, for lists, search results and workers. It can be rebuilt from the log.
 * Promises, all checked by `describeCatalog`:
 * - `apply` makes all changes and advances `position` in one transaction; a call with `upTo` at or before `position` is ignored;
 * - reads for callers accept only permitted scopes, and never return data of another scope or tenant;
 * - the chunks of a document change atomically from one version to the next; a chunk is visible only as part of the indexed version.
 */
export interface Catalog {
  position(): Promise<Position>;
  apply(changes: readonly CatalogChange[], upTo: Position): Promise<void>;
  /** After it resolves, the files contain no data that was deleted or overwritten before the call. */
  purge?(): Promise<void>;
  /** Deletes all data and sets the position to START. */
  reset(): Promise<void>;

  knowledgeBases(scopes: readonly PermittedScope[]): Promise<readonly KnowledgeBaseView[]>;
  knowledgeBase(scopes: readonly PermittedScope[], id: KnowledgeBaseId): Promise<KnowledgeBaseView | undefined>;
  documents(scopes: readonly PermittedScope[], query: DocumentQuery): Promise<Page<DocumentView>>;
  /** Number of documents that match the query, over all pages. It reads every matching document. */
  countDocuments(scopes: readonly PermittedScope[], query: Omit<DocumentQuery, 'limit' | 'cursor'>): Promise<number>;
  document(scopes: readonly PermittedScope[], id: DocumentId): Promise<DocumentView | undefined>;
  versions(scopes: readonly PermittedScope[], id: DocumentId): Promise<readonly DocumentVersionView[]>;
  chunksOf(scopes: readonly PermittedScope[], id: DocumentId, page: Readonly<{ limit: number; cursor?: string }>): Promise<Page<VisibleChunk>>;
  /** In no particular order. Omits ids that are not visible in these scopes. */
  chunks(scopes: readonly PermittedScope[], ids: readonly ChunkId[]): Promise<readonly VisibleChunk[]>;
  /** The ids that `chunks` would return, without loading the chunks. */
  visible(scopes: readonly PermittedScope[], ids: readonly ChunkId[]): Promise<ReadonlySet<ChunkId>>;
  /** Counts of what the caller may read. */
  countsIn(scopes: readonly PermittedScope[]): Promise<ScopeCounts>;
  documentCounts(tenant?: TenantId): Promise<StateCounts>;
  chunkCount(tenant?: TenantId): Promise<number>;

  /** Usage of the tenant over all its scopes, without archived knowledge bases. Takes no longer than a lookup by key. */
  use(tenant: TenantId): Promise<TenantUse>;
  /** `bytes` of the latest version; `chunks` of the indexed version. */
  documentSize(tenant: TenantId, id: DocumentId): Promise<Readonly<{ bytes: number; chunks: number }> | undefined>;

  /** All scopes of the tenant, or of the installation, with their generations in order of creation. For workers. */
  scopes(tenant?: TenantId): Promise<readonly ScopeView[]>;
  /** Indexed documents of a scope after `after`, ordered by id. `of` restricts them to one knowledge base and language. For workers. */
  indexedDocuments(scope: TenantScope, limit: number, after?: DocumentId, of?: LanguageOfBase): Promise<readonly DocumentId[]>;
  /** Languages of the documents of a scope by knowledge base, in no particular order. For workers. */
  languages(scope: TenantScope): Promise<readonly LanguageCount[]>;
  /** Pending and processing documents of a knowledge base after `after`, in order of submission. For workers. */
  waitingDocuments(tenant: TenantId, id: KnowledgeBaseId, limit: number, after?: Pick<WaitingDocument, 'documentId' | 'submittedAt'>): Promise<readonly WaitingDocument[]>;
  /** Documents of a scope that wait for its embedding model, in order of submission. Omits paused knowledge bases. For workers. */
  deferredDocuments(scope: TenantScope, limit: number): Promise<readonly DeferredDocument[]>;
  /** Visible chunks of a scope with their content hashes, ordered by chunk id. For `verify`. */
  contentHashes(scope: TenantScope): AsyncIterable<Readonly<{ chunkId: ChunkId; contentHash: Digest }>>;
  /**
   * All rows. The same history gives the same rows. Structural damage is returned as rows that no history can produce. For `verify`.
   */
  rows(): AsyncIterable<CatalogRow>;
  /** Creates an empty catalog of the same kind that `close` deletes. For `verify`. */
  createScratch(): Promise<Catalog>;
  close(): Promise<void>;
}
