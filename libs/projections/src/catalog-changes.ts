import type { CatalogChange, ChunkContent, DomainEvent, Fact } from '@palimpsest/knowledge';

/**
 * What one fact changes in the catalogue. Pure: no clock, no reads. `contents` are those of the chunks that a
 * `DocumentIndexed` says are to be written.
 */
export const catalogChanges = ({ event, metadata }: Fact<DomainEvent>, contents: readonly ChunkContent[]): readonly CatalogChange[] => {
  const { tenant, scope } = metadata;
  switch (event.type) {
    case 'KnowledgeBaseCreated': {
      const { id, scope: of, createdAt, ...settings } = event.data;
      return [{ change: 'knowledge-base-created', tenant, id, scope: of, settings, at: createdAt }];
    }
    case 'KnowledgeBaseConfigured': {
      const { id, configuredAt: _, ...settings } = event.data;
      return [{ change: 'knowledge-base-configured', tenant, id, settings }];
    }
    case 'KnowledgeBaseArchived':
      return [{ change: 'knowledge-base-archived', tenant, id: event.data.id }];
    case 'KnowledgeBasePaused':
      return [{ change: 'knowledge-base-paused', tenant, id: event.data.id }];
    case 'KnowledgeBaseResumed':
      return [{ change: 'knowledge-base-resumed', tenant, id: event.data.id }];
    case 'DocumentSubmitted': {
      if (scope === undefined) return [];
      const { documentId, knowledgeBase, sourceId, version, bytes, checksum, labels, origin, submittedAt, title, fileName, mediaType } = event.data;
      return [
        {
          change: 'document-submitted', tenant, scope, documentId, knowledgeBase, sourceId, version, bytes, checksum, labels, origin, at: submittedAt,
          title: title ?? fileName ?? sourceId, mediaType: mediaType ?? 'application/octet-stream',
        },
      ];
    }
    case 'DocumentProcessingStarted':
      return [{ change: 'document-processing', tenant, documentId: event.data.documentId, version: event.data.version }];
    case 'DocumentFailed': {
      const { documentId, version, reason, detail, failedAt } = event.data;
      return [{ change: 'document-failed', tenant, documentId, version, reason, detail, at: failedAt }];
    }
    case 'DocumentDeferred': {
      const { documentId, version, reason, detail, deferredAt } = event.data;
      return [{ change: 'document-deferred', tenant, documentId, version, reason, detail, at: deferredAt }];
    }
    case 'DocumentIndexed': {
      if (scope === undefined) return [];
      const { documentId, version, title, mediaType, language, chunkingVersion, labels, origin, metadata: properties, failedChunks, warnings, indexedAt, chunks } = event.data;
      return [
        {
          change: 'document-indexed', tenant, scope, documentId, version, title, mediaType, language, chunkingVersion, labels, origin,
          metadata: properties, failedChunks, warnings, at: indexedAt, chunks, contents,
        },
      ];
    }
    case 'DocumentDeleted':
      return [{ change: 'document-deleted', tenant, documentId: event.data.documentId }];
    case 'GenerationStarted': {
      const { scope: of, generation: id, embeddingVersion } = event.data;
      return [{ change: 'generation', scope: { tenant, scope: of }, generation: { id, embeddingVersion, status: 'building' } }];
    }
    case 'GenerationActivated':
      return [{ change: 'generation-activated', scope: { tenant, scope: event.data.scope }, id: event.data.generation }];
    case 'GenerationRetired':
      return [{ change: 'generation-retired', scope: { tenant, scope: event.data.scope }, id: event.data.generation }];
    default:
      // Chunks count from their DocumentIndexed on; traces, keys and limits have no place in the catalogue.
      return [];
  }
};
