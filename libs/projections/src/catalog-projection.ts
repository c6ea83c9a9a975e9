import { projection } from '@palimpsest/knowledge/events';
import type { Fact, KnowledgeChunkReembedded, KnowledgeChunkReembedFailed } from '@palimpsest/knowledge/events';
import type { CatalogChange, ChunkContent } from '@palimpsest/knowledge/read-models';

const embeddingChange = (
  change: 'chunk-refused' | 'chunk-embedded',
  { event, metadata: { tenant, scope } }: Fact<KnowledgeChunkReembedded | KnowledgeChunkReembedFailed>,
): readonly CatalogChange[] => {
  const { documentId, chunkId, embeddingVersion } = event.data;
  return scope === undefined ? [] : [{ change, tenant, scope, documentId, chunkId, embeddingVersion }];
};

/**
 * What one fact changes in the catalog. Pure: no clock, no reads. Chunks come from `DocumentIndexed`. The context contains the contents of the chunks that a
 * `DocumentIndexed` writes.
 */
export const catalogProjection = projection<'catalog', readonly ChunkContent[], readonly CatalogChange[]>('catalog', {
  KnowledgeBaseCreated: ({ event, metadata: { tenant } }) => {
    const { id, scope, createdAt, ...settings } = event.data;
    return [{ change: 'knowledge-base-created', tenant, id, scope, settings, at: createdAt }];
  },
  KnowledgeBaseConfigured: ({ event, metadata: { tenant } }) => {
    const { id, configuredAt: _, ...settings } = event.data;
    return [{ change: 'knowledge-base-configured', tenant, id, settings }];
  },
  KnowledgeBaseDeletionRequested: ({ event, metadata: { tenant } }) => [{ change: 'knowledge-base-deleting', tenant, id: event.data.id }],
  KnowledgeBaseDeleted: ({ event, metadata: { tenant } }) => [{ change: 'knowledge-base-deleted', tenant, id: event.data.id }],
  KnowledgeBaseStrategySet: ({ event, metadata: { tenant } }) => {
    const { id, strategy, reranker } = event.data;
    return [{ change: 'knowledge-base-strategy', tenant, id, strategy: { strategy, ...(reranker ? { reranker } : {}) } }];
  },
  KnowledgeBaseArchived: ({ event, metadata: { tenant } }) => [{ change: 'knowledge-base-archived', tenant, id: event.data.id }],
  KnowledgeBasePaused: ({ event, metadata: { tenant } }) => [{ change: 'knowledge-base-paused', tenant, id: event.data.id }],
  KnowledgeBaseResumed: ({ event, metadata: { tenant } }) => [{ change: 'knowledge-base-resumed', tenant, id: event.data.id }],
  DocumentSubmitted: ({ event, metadata: { tenant, scope } }) => {
    if (scope === undefined) return [];
    const { documentId, knowledgeBase, sourceId, version, bytes, checksum, labels, origin, submittedAt, title, fileName, mediaType } =
      event.data;
    return [
      {
        change: 'document-submitted',
        tenant,
        scope,
        documentId,
        knowledgeBase,
        sourceId,
        version,
        bytes,
        checksum,
        labels,
        origin,
        at: submittedAt,
        title: title ?? fileName ?? sourceId,
        mediaType: mediaType ?? 'application/octet-stream',
      },
    ];
  },
  DocumentProcessingStarted: ({ event, metadata: { tenant } }) => [
    { change: 'document-processing', tenant, documentId: event.data.documentId, version: event.data.version },
  ],
  DocumentFailed: ({ event, metadata: { tenant } }) => {
    const { documentId, version, reason, detail, failedAt } = event.data;
    return [{ change: 'document-failed', tenant, documentId, version, reason, detail, at: failedAt }];
  },
  DocumentDeferred: ({ event, metadata: { tenant } }) => {
    const { documentId, version, reason, detail, deferredAt } = event.data;
    return [{ change: 'document-deferred', tenant, documentId, version, reason, detail, at: deferredAt }];
  },
  DocumentIndexed: ({ event, metadata: { tenant, scope } }, contents) => {
    if (scope === undefined) return [];
    const {
      documentId,
      version,
      chunkList,
      title,
      mediaType,
      language,
      chunkingVersion,
      labels,
      origin,
      metadata,
      failedChunks,
      warnings,
      notRechunked,
      indexedAt,
      chunks,
    } = event.data;
    return [
      {
        change: 'document-indexed',
        tenant,
        scope,
        documentId,
        version,
        chunkList,
        ...(notRechunked === undefined ? {} : { notRechunked }),
        title,
        mediaType,
        language,
        chunkingVersion,
        labels,
        origin,
        metadata,
        failedChunks,
        warnings,
        at: indexedAt,
        chunks,
        contents,
      },
    ];
  },
  DocumentDeleted: ({ event, metadata: { tenant } }) => [{ change: 'document-deleted', tenant, documentId: event.data.documentId }],
  DocumentHistoryRemoved: ({ event: { data }, metadata: { tenant } }) => [
    { change: 'history-removed', tenant, documentId: data.documentId, version: data.version },
  ],
  KnowledgeChunkReembedded: (recorded) => embeddingChange('chunk-embedded', recorded),
  KnowledgeChunkReembedFailed: (recorded) => embeddingChange('chunk-refused', recorded),
  GenerationStarted: ({ event, metadata: { tenant } }) => {
    const { scope, generation: id, recipe } = event.data;
    return [
      {
        change: 'generation',
        scope: { tenant, scope },
        generation: { id, embeddingVersion: recipe.embedding.version, recipe, status: 'building' },
      },
    ];
  },
  GenerationBuilt: ({ event, metadata: { tenant } }) => {
    const { scope, generation: id, companion } = event.data;
    return [{ change: 'generation-built', scope: { tenant, scope }, id, ...(companion ? { companion } : {}) }];
  },
  GenerationActivated: ({ event, metadata: { tenant } }) => [
    { change: 'generation-activated', scope: { tenant, scope: event.data.scope }, id: event.data.generation },
  ],
  GenerationRetired: ({ event, metadata: { tenant } }) => [
    { change: 'generation-retired', scope: { tenant, scope: event.data.scope }, id: event.data.generation },
  ],
  ScopeErased: ({ event, metadata: { tenant } }) => [{ change: 'scope-erased', scope: { tenant, scope: event.data.scope } }],
});
