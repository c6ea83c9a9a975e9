import type { PermittedScope } from '../access/access.ts';
import type { ChunkPlace } from '../events/document-events.ts';
import type { KnowledgeBaseSettings } from '../events/knowledge-base-events.ts';
import type { KnowledgeBaseStatus } from '../deciders/knowledge-base.ts';
import type { Generation } from '../deciders/scope.ts';
import type { ChunkId, DocumentId, KnowledgeBaseId, Sha256, SourceId } from '../values/ids.ts';
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
  /** Latest submitted; searches see `indexedVersion`. */
  version: number;
  indexedVersion?: number;
  /** Why the latest version failed, or what it waits for: a code, and a sentence for people. */
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
  checksum: Sha256;
  bytes: number;
  chunks?: number;
  reason?: string;
}>;

/** A chunk that searches see now. `sealedText`: see `ChunkText`; opened only for an answer. */
export type CatalogChunk = ChunkPlace &
  Readonly<{
    chunkId: ChunkId;
    documentId: DocumentId;
    index: number;
    of: number;
    contentHash: Sha256;
    sealedText: Uint8Array;
    language: string;
    symbol?: string;
  }>;

/** A chunk with what its document says of it. */
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
      title: string; mediaType: string; bytes: number; checksum: Sha256; labels: Labels; origin: Origin; at: string;
    }>
  | Readonly<{ change: 'document-processing'; tenant: TenantId; documentId: DocumentId; version: number }>
  | Readonly<{ change: 'document-failed'; tenant: TenantId; documentId: DocumentId; version: number; reason: string; detail: string; at: string }>
  | Readonly<{ change: 'document-deferred'; tenant: TenantId; documentId: DocumentId; version: number; reason: string; detail: string; at: string }>
  | Readonly<{
      change: 'document-indexed';
      tenant: TenantId; scope: VectorScope; documentId: DocumentId; version: number; title: string; mediaType: string; language: string;
      chunkingVersion: ChunkingVersion; labels: Labels; origin: Origin; metadata: Readonly<Record<string, string>>;
      failedChunks: number; warnings: readonly string[]; at: string;
      /** All of them, in order; those that are not among `contents` keep the content that they have. */
      chunks: readonly (ChunkPlace & Readonly<{ chunkId: ChunkId }>)[];
      contents: readonly ChunkContent[];
    }>
  | Readonly<{ change: 'document-deleted'; tenant: TenantId; documentId: DocumentId }>
  | Readonly<{ change: 'generation'; scope: TenantScope; generation: Generation }>
  /** The others of the scope that were active become standby. */
  | Readonly<{ change: 'generation-activated'; scope: TenantScope; id: GenerationId }>
  | Readonly<{ change: 'generation-retired'; scope: TenantScope; id: GenerationId }>;

export type DocumentQuery = Readonly<{
  knowledgeBase?: KnowledgeBaseId;
  status?: DocumentState;
  /** Prefix of the source id. */
  source?: string;
  limit: number;
  /** From the answer before. */
  cursor?: string;
}>;

/** `total`: over all pages, where it was asked for. */
export type Page<T> = Readonly<{ items: readonly T[]; next?: string; total?: number }>;
export type ScopeView = Readonly<{ scope: TenantScope; generations: readonly Generation[] }>;
/** `held`: of those pending or processing, the ones whose knowledge base is paused, or whose embedding model is missing. */
export type StateCounts = Readonly<Record<DocumentState, number>> & Readonly<{ total: number; held: number }>;
export type ScopeCounts = Readonly<{ documents: StateCounts; chunks: number }>;
/** Chunks that searches see of one knowledge base in one language (ISO 639-1, or `und`). */
export type LanguageCount = Readonly<{ knowledgeBase: KnowledgeBaseId; language: string; chunks: number }>;
export type LanguageOfBase = Pick<LanguageCount, 'knowledgeBase' | 'language'>;
/** The latest version of a document that is not indexed yet. */
export type WaitingDocument = Readonly<{ documentId: DocumentId; scope: VectorScope; version: number; submittedAt: string }>;

/** A document that waits, and since which of its events: by it each wait is told from the next. */
export type DeferredDocument = Readonly<{ documentId: DocumentId; version: number; deferredAt: string }>;

/** One row of what a catalogue holds, whatever its tables are called, known by table, tenant, scope and key; `digest`: of all that it says, but for texts, which are sealed. A chunk's key is its id. */
export type CatalogRow = Readonly<{ table: string; tenant: TenantId; scope: string; key: string; digest: string }>;

/**
 * What there is, for lists, for hits and for the workers: a read model, rebuilt from the log at will.
 * Promises, all checked by `describeCatalog`:
 * - `apply` takes all changes and moves `position` in one transaction, or none; an `upTo` at or before `position` is ignored;
 * - reads for callers take only permitted scopes, and never show what lies in another scope or tenant;
 * - a document's chunks change from one version to the next at once; a chunk is visible only as part of the indexed version.
 */
export interface Catalog {
  position(): Promise<Position>;
  apply(changes: readonly CatalogChange[], upTo: Position): Promise<void>;
  /** When it resolves, its files hold nothing that was deleted or overwritten before the call. */
  purge?(): Promise<void>;
  /** Forgets everything; position START. */
  reset(): Promise<void>;

  knowledgeBases(scopes: readonly PermittedScope[]): Promise<readonly KnowledgeBaseView[]>;
  knowledgeBase(scopes: readonly PermittedScope[], id: KnowledgeBaseId): Promise<KnowledgeBaseView | undefined>;
  documents(scopes: readonly PermittedScope[], query: DocumentQuery): Promise<Page<DocumentView>>;
  /** How many documents the query's conditions keep, over all pages. It looks at each of them. */
  countDocuments(scopes: readonly PermittedScope[], query: Omit<DocumentQuery, 'limit' | 'cursor'>): Promise<number>;
  document(scopes: readonly PermittedScope[], id: DocumentId): Promise<DocumentView | undefined>;
  versions(scopes: readonly PermittedScope[], id: DocumentId): Promise<readonly DocumentVersionView[]>;
  chunksOf(scopes: readonly PermittedScope[], id: DocumentId, page: Readonly<{ limit: number; cursor?: string }>): Promise<Page<VisibleChunk>>;
  /** In no particular order; ids that are not visible in these scopes are left out. */
  chunks(scopes: readonly PermittedScope[], ids: readonly ChunkId[]): Promise<readonly VisibleChunk[]>;
  /** Which of these are visible in these scopes: what `chunks` would answer, without all that it says of them. */
  visible(scopes: readonly PermittedScope[], ids: readonly ChunkId[]): Promise<ReadonlySet<ChunkId>>;
  /** What a caller may know of how much there is. */
  countsIn(scopes: readonly PermittedScope[]): Promise<ScopeCounts>;
  documentCounts(tenant?: TenantId): Promise<StateCounts>;
  chunkCount(tenant?: TenantId): Promise<number>;

  /** What the tenant has in all its scopes; knowledge bases that are archived do not count. Told in no more time than a look-up takes. */
  use(tenant: TenantId): Promise<TenantUse>;
  /** Of the latest version, and of what searches see. */
  documentSize(tenant: TenantId, id: DocumentId): Promise<Readonly<{ bytes: number; chunks: number }> | undefined>;

  /** Every scope of the tenant, or of the installation, with its generations in the order of their starts. For workers. */
  scopes(tenant?: TenantId): Promise<readonly ScopeView[]>;
  /** Documents of a scope that searches see, in the order of their ids, after `after`; `of`: only those of a knowledge base that are in a language. For workers. */
  indexedDocuments(scope: TenantScope, limit: number, after?: DocumentId, of?: LanguageOfBase): Promise<readonly DocumentId[]>;
  /** Which languages the documents of a scope are in, by knowledge base, in no particular order. For workers. */
  languages(scope: TenantScope): Promise<readonly LanguageCount[]>;
  /** Documents of a knowledge base that are pending or processing, in the order of their submission, after `after`. For workers. */
  waitingDocuments(tenant: TenantId, id: KnowledgeBaseId, limit: number, after?: Pick<WaitingDocument, 'documentId' | 'submittedAt'>): Promise<readonly WaitingDocument[]>;
  /** Documents of a scope that wait for its embedding model and whose knowledge base is not paused, in the order of their submission. For workers. */
  deferredDocuments(scope: TenantScope, limit: number): Promise<readonly DeferredDocument[]>;
  /** Every visible chunk of a scope with its content hash, by chunk id. For `verify`. */
  contentHashes(scope: TenantScope): AsyncIterable<Readonly<{ chunkId: ChunkId; contentHash: Sha256 }>>;
  /** Everything it holds: the same rows for the same history. And what is damaged of its structure, each as a row that no history has. For `verify`. */
  rows(): AsyncIterable<CatalogRow>;
  /** An empty one of the same kind, gone with its `close`. For `verify`. */
  spare(): Promise<Catalog>;
  close(): Promise<void>;
}
