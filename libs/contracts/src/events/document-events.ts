import { z } from 'zod';
import type { DocumentEvent } from '@palimpsest/knowledge/events';
import { DEFAULT_CHUNK_LIST } from '@palimpsest/knowledge/values';
import type { Upcaster, WireEvents } from '../event-codec.ts';
import { wire } from '../schemas/values.ts';
import { adding, ERASED, sealedSince2 } from './upcasters.ts';

const submission = {
  knowledgeBase: wire.knowledgeBaseId,
  sourceId: wire.sourceId,
  title: z.string().exactOptional(),
  fileName: z.string().exactOptional(),
  mediaType: z.string().exactOptional(),
  blob: wire.blobKey,
  bytes: wire.count,
  checksum: wire.sha256,
  fingerprint: wire.sha256,
  labels: wire.labels,
  origin: wire.origin,
  subject: wire.subjectId.exactOptional(),
};

const place = {
  start: wire.count,
  end: wire.count,
  fromLine: wire.ordinal,
  toLine: wire.ordinal,
  page: wire.ordinal.exactOptional(),
};

/** Optional since history can be removed. */
const kept = { keptFrom: wire.count.exactOptional() };

const reembedded = { documentId: wire.documentId, chunkId: wire.chunkId, embeddingVersion: wire.embeddingVersion, ...kept };

/** The labels of a chunk were those of its document. */
const withoutLabels: Upcaster = ({ labels: _, ...data }) => data;

export const documentEvents: WireEvents<DocumentEvent> = {
  DocumentSubmitted: {
    schema: z.object({ ...submission, documentId: wire.documentId, version: wire.ordinal, submittedAt: wire.time }),
    upcasters: sealedSince2,
    sealed: { sourceId: ERASED as never, title: undefined, fileName: undefined, labels: {}, subject: undefined },
  },
  DocumentProcessingStarted: { schema: z.object({ documentId: wire.documentId, version: wire.ordinal, startedAt: wire.time }) },
  KnowledgeChunkIndexed: {
    schema: z.object({
      ...place,
      ...kept,
      documentId: wire.documentId,
      version: wire.ordinal,
      chunkId: wire.chunkId,
      index: wire.count,
      of: wire.ordinal,
      contentHash: wire.sha256,
      sealedText: wire.base64,
      sealedVector: wire.base64,
      sealedFurtherVectors: wire.base64.exactOptional(),
      embeddingVersion: wire.embeddingVersion,
      chunkingVersion: wire.chunkingVersion,
      language: z.string(),
      symbol: z.string().exactOptional(),
      origin: wire.origin,
      tokens: wire.count,
      truncated: z.boolean(),
    }),
    upcasters: [withoutLabels],
    sealed: { symbol: undefined },
  },
  KnowledgeChunkFailed: {
    schema: z.object({
      documentId: wire.documentId,
      version: wire.ordinal,
      chunkId: wire.chunkId,
      index: wire.count,
      embeddingVersion: wire.embeddingVersion,
      reason: z.string(),
    }),
    upcasters: sealedSince2,
    sealed: { reason: ERASED },
  },
  KnowledgeChunkReembedded: {
    schema: z.object({
      ...reembedded,
      sealedVector: wire.base64,
      sealedFurtherVectors: wire.base64.exactOptional(),
      madeFrom: wire.count,
      tokens: wire.count,
      truncated: z.boolean(),
    }),
  },
  KnowledgeChunkReembedFailed: {
    schema: z.object({ ...reembedded, reason: z.string() }),
    upcasters: sealedSince2,
    sealed: { reason: ERASED },
  },
  DocumentIndexed: {
    schema: z.object({
      documentId: wire.documentId,
      version: wire.ordinal,
      chunkList: wire.chunkListId,
      knowledgeBase: wire.knowledgeBaseId,
      sourceId: wire.sourceId,
      title: z.string(),
      mediaType: z.string(),
      language: z.string(),
      checksum: wire.sha256,
      fingerprint: wire.sha256,
      chunkingVersion: wire.chunkingVersion,
      labels: wire.labels,
      origin: wire.origin,
      metadata: wire.strings,
      chunks: z.array(z.object({ ...place, chunkId: wire.chunkId })),
      written: z.array(wire.chunkId),
      removed: z.array(wire.chunkId),
      failedChunks: wire.count,
      warnings: z.array(z.string()),
      notRechunked: z.string().exactOptional(),
      latestVersion: wire.ordinal.exactOptional(),
      indexedAt: wire.time,
    }),
    upcasters: adding({ chunkList: DEFAULT_CHUNK_LIST }),
    sealed: { sourceId: ERASED as never, title: ERASED, labels: {}, metadata: {}, warnings: [], notRechunked: undefined },
  },
  DocumentSkipped: {
    schema: z.object({
      documentId: wire.documentId,
      version: wire.ordinal,
      checksum: wire.sha256,
      reason: z.literal('unchanged'),
      skippedAt: wire.time,
    }),
  },
  DocumentFailed: {
    schema: z.object({
      documentId: wire.documentId,
      version: wire.ordinal,
      reason: z.string(),
      detail: z.string(),
      failedAt: wire.time,
    }),
    upcasters: sealedSince2,
    sealed: { detail: ERASED },
  },
  DocumentDeferred: {
    schema: z.object({
      documentId: wire.documentId,
      version: wire.ordinal,
      reason: z.string(),
      detail: z.string(),
      deferredAt: wire.time,
    }),
    upcasters: sealedSince2,
    sealed: { detail: ERASED },
  },
  DocumentDeleted: {
    schema: z.object({
      documentId: wire.documentId,
      version: wire.ordinal,
      chunks: z.array(wire.chunkId),
      deletedAt: wire.time,
    }),
  },
  DocumentHistoryRemoved: {
    schema: z.object({
      documentId: wire.documentId,
      version: wire.ordinal,
      before: wire.ordinal,
      removedUpTo: z.string().regex(/^\d{1,20}$/),
      records: wire.ordinal,
      positions: wire.base64,
      kept: z.array(wire.chunkId),
      uploads: wire.count,
      removedAt: wire.time,
    }),
  },
};
