import type { KnowledgeBaseStatus } from '../../deciders/knowledge-base.ts';
import type { Generation } from '../../deciders/scope-state.ts';
import type { ChunkPlace } from '../../events/document-events.ts';
import type { KnowledgeBaseSettings } from '../../events/knowledge-base-events.ts';
import type { StrategyInUse } from '../../events/strategy-events.ts';
import type { ChunkId, Digest, DocumentId, KnowledgeBaseId, SourceId } from '../../values/ids.ts';
import type { Labels, Origin } from '../../values/labels.ts';
import type { TenantScope, VectorScope } from '../../values/scope.ts';
import type { TenantId } from '../../values/tenant.ts';

export type KnowledgeBaseView = KnowledgeBaseSettings &
  Readonly<{
    id: KnowledgeBaseId;
    tenant: TenantId;
    scope: VectorScope;
    status: KnowledgeBaseStatus;
    /** Of searches that name none. Missing if none was set. */
    strategy?: StrategyInUse;
    documents: number;
    createdAt: string;
  }>;

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
  /** Parts of the text that the model refused and that are not in the index. */
  failedChunks: number;
  /** How many of `chunks` the model of the active generation refused: only lexical search finds them. */
  withoutVector: number;
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

/** A document that keeps the chunks of another list, and why. */
export type NotRechunked = Readonly<{ documentId: DocumentId; scope: VectorScope; sourceId: SourceId; reason: string }>;

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
/** Sums over documents; see `DocumentView`. */
export type RefusedChunks = Readonly<Pick<DocumentView, 'failedChunks' | 'withoutVector'>>;
export type ScopeCounts = Readonly<{ documents: StateCounts; chunks: number }>;
