import type { Generation } from '../../deciders/scope-state.ts';
import type { ChunkPlace } from '../../events/document-events.ts';
import type { KnowledgeBaseSettings } from '../../events/knowledge-base-events.ts';
import type { StrategyInUse } from '../../events/strategy-events.ts';
import type { ChunkId, Digest, DocumentId, KnowledgeBaseId, SourceId } from '../../values/ids.ts';
import type { Labels, Origin } from '../../values/labels.ts';
import type { ChunkListId } from '../../values/recipe.ts';
import type { TenantScope, VectorScope } from '../../values/scope.ts';
import type { TenantId } from '../../values/tenant.ts';
import type { ChunkingVersion, EmbeddingVersion, GenerationId } from '../../values/versions.ts';
import type { CatalogChunk } from './catalog-views.ts';

type Content = Pick<CatalogChunk, 'contentHash' | 'sealedText' | 'language' | 'symbol'>;
export type ChunkContent = Content & Readonly<{ chunkId: ChunkId }>;

export type CatalogChange =
  | Readonly<{
      change: 'knowledge-base-created';
      tenant: TenantId;
      id: KnowledgeBaseId;
      scope: VectorScope;
      settings: KnowledgeBaseSettings;
      at: string;
    }>
  | Readonly<{ change: 'knowledge-base-configured'; tenant: TenantId; id: KnowledgeBaseId; settings: KnowledgeBaseSettings }>
  | Readonly<{ change: 'knowledge-base-strategy'; tenant: TenantId; id: KnowledgeBaseId; strategy: StrategyInUse }>
  | Readonly<{ change: 'knowledge-base-archived'; tenant: TenantId; id: KnowledgeBaseId }>
  | Readonly<{ change: 'knowledge-base-paused'; tenant: TenantId; id: KnowledgeBaseId }>
  | Readonly<{ change: 'knowledge-base-resumed'; tenant: TenantId; id: KnowledgeBaseId }>
  | Readonly<{ change: 'knowledge-base-deleting'; tenant: TenantId; id: KnowledgeBaseId }>
  | Readonly<{ change: 'knowledge-base-deleted'; tenant: TenantId; id: KnowledgeBaseId }>
  | Readonly<{
      change: 'document-submitted';
      tenant: TenantId;
      scope: VectorScope;
      documentId: DocumentId;
      knowledgeBase: KnowledgeBaseId;
      sourceId: SourceId;
      version: number;
      title: string;
      mediaType: string;
      bytes: number;
      checksum: Digest;
      labels: Labels;
      origin: Origin;
      at: string;
    }>
  | Readonly<{ change: 'document-processing'; tenant: TenantId; documentId: DocumentId; version: number }>
  | Readonly<{
      change: 'document-failed';
      tenant: TenantId;
      documentId: DocumentId;
      version: number;
      reason: string;
      detail: string;
      at: string;
    }>
  | Readonly<{
      change: 'document-deferred';
      tenant: TenantId;
      documentId: DocumentId;
      version: number;
      reason: string;
      detail: string;
      at: string;
    }>
  | Readonly<{
      change: 'document-indexed';
      tenant: TenantId;
      scope: VectorScope;
      documentId: DocumentId;
      version: number;
      /** The document shows this list if searches of the scope see it; otherwise the list is stored alongside. */
      chunkList: ChunkListId;
      notRechunked?: string;
      title: string;
      mediaType: string;
      language: string;
      chunkingVersion: ChunkingVersion;
      labels: Labels;
      origin: Origin;
      metadata: Readonly<Record<string, string>>;
      failedChunks: number;
      warnings: readonly string[];
      at: string;
      /** All chunks in order. Chunks that are not in `contents` keep their stored content. */
      chunks: readonly (ChunkPlace & Readonly<{ chunkId: ChunkId }>)[];
      contents: readonly ChunkContent[];
    }>
  | Readonly<{ change: 'document-deleted'; tenant: TenantId; documentId: DocumentId }>
  /** Earlier versions than this one are not listed any more, and refusals of chunks that are not indexed now are forgotten. */
  | Readonly<{ change: 'history-removed'; tenant: TenantId; documentId: DocumentId; version: number }>
  /** A model refused an indexed chunk, or has embedded it after all. */
  | Readonly<{
      change: 'chunk-refused' | 'chunk-embedded';
      tenant: TenantId;
      scope: VectorScope;
      documentId: DocumentId;
      chunkId: ChunkId;
      embeddingVersion: EmbeddingVersion;
    }>
  | Readonly<{ change: 'generation'; scope: TenantScope; generation: Generation }>
  /** The generation becomes ready, or the companion of the scope. */
  | Readonly<{ change: 'generation-built'; scope: TenantScope; id: GenerationId; companion?: true }>
  /** The generation of the scope that was active becomes standby. Documents show the chunk list of the new one. */
  | Readonly<{ change: 'generation-activated'; scope: TenantScope; id: GenerationId }>
  /** Chunk lists that no other live generation has are deleted. */
  | Readonly<{ change: 'generation-retired'; scope: TenantScope; id: GenerationId }>
  /** Nothing of the scope is left but its generations, which are retired. */
  | Readonly<{ change: 'scope-erased'; scope: TenantScope }>;
