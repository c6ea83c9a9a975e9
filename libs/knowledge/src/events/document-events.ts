import type { BlobKey } from '../ports/blob-store.ts';
import type { Labels, Origin } from '../values/labels.ts';
import type { ChunkId, DocumentId, KnowledgeBaseId, Digest, SourceId } from '../values/ids.ts';
import type { ChunkListId } from '../values/recipe.ts';
import type { SubjectId } from '../values/subject.ts';
import type { ChunkingVersion, EmbeddingVersion } from '../values/versions.ts';
import type { Event } from './event.ts';
import type { DocumentHistoryRemoved } from './history-events.ts';
import type { ReadersOf } from './readers.ts';

/** What a caller submitted, without the bytes themselves (they are sealed in the blob store). */
export type Submission = Readonly<{
  knowledgeBase: KnowledgeBaseId;
  sourceId: SourceId;
  title?: string;
  fileName?: string;
  mediaType?: string;
  blob: BlobKey;
  bytes: number;
  /** Keyed digest of the bytes. */
  checksum: Digest;
  /** Keyed digest of everything that affects the indexed result: checksum, labels, origin, title, chunking settings. */
  fingerprint: Digest;
  labels: Labels;
  origin: Origin;
  /** The person whom the document is about. Their key seals it, together with that of the scope. */
  subject?: SubjectId;
}>;

export type DocumentSubmitted = Event<'DocumentSubmitted', Submission & { documentId: DocumentId; version: number; submittedAt: string }>;

export type DocumentProcessingStarted = Event<'DocumentProcessingStarted', { documentId: DocumentId; version: number; startedAt: string }>;

/** Offsets are UTF-16 code units into the extracted text, `end` exclusive; lines and pages are 1-based. */
export type ChunkPlace = Readonly<{ start: number; end: number; fromLine: number; toLine: number; page?: number }>;

/**
 * `keptFrom`: the event repeats one of this revision, which was removed with the history before it. Versions that are still on the log
 * contain the chunk. It changes nothing in read models, and is read as if it were at its old place: vectors can precede their text.
 */
type Kept = Readonly<{ keptFrom?: number }>;

/** One chunk with its text and vector, both sealed under the scope's key (base64). */
export type KnowledgeChunkIndexed = Event<
  'KnowledgeChunkIndexed',
  Kept &
    ChunkPlace & {
      documentId: DocumentId;
      version: number;
      chunkId: ChunkId;
      /** 0-based, without gaps, in the chunk list of this version. */
      index: number;
      of: number;
      /** Keyed digest of context prefix and text. */
      contentHash: Digest;
      /** Sealed JSON of `ChunkText`. */
      sealedText: string;
      /** Sealed little-endian float32 values, one for each dimension of the embedding version. */
      sealedVector: string;
      /** If the text was too long for one vector: the vectors of its other windows, concatenated and sealed in the same form. */
      sealedFurtherVectors?: string;
      embeddingVersion: EmbeddingVersion;
      chunkingVersion: ChunkingVersion;
      language: string;
      symbol?: string;
      origin: Origin;
      /** Token count of the embedding model. */
      tokens: number;
      /** True if no vector covers the end of the text. */
      truncated: boolean;
    }
>;

/** One chunk could not be embedded and was left out. Processing of the document continues. */
export type KnowledgeChunkFailed = Event<
  'KnowledgeChunkFailed',
  { documentId: DocumentId; version: number; chunkId: ChunkId; index: number; embeddingVersion: EmbeddingVersion; reason: string }
>;

/** Another vector of a chunk that is already on the log. `madeFrom` is the revision of the event with its text. */
export type KnowledgeChunkReembedded = Event<
  'KnowledgeChunkReembedded',
  Kept & {
    documentId: DocumentId;
    chunkId: ChunkId;
    embeddingVersion: EmbeddingVersion;
    sealedVector: string;
    sealedFurtherVectors?: string;
    madeFrom: number;
    tokens: number;
    truncated: boolean;
  }
>;

export type KnowledgeChunkReembedFailed = Event<
  'KnowledgeChunkReembedFailed',
  Kept & { documentId: DocumentId; chunkId: ChunkId; embeddingVersion: EmbeddingVersion; reason: string }
>;

/**
 * The commit point of one chunk list: after this event, searches whose recipe has this list see exactly these chunks of the document.
 */
export type DocumentIndexed = Event<
  'DocumentIndexed',
  {
    documentId: DocumentId;
    version: number;
    /** The chunking that the list belongs to. A document can have several lists at the same time. */
    chunkList: ChunkListId;
    knowledgeBase: KnowledgeBaseId;
    sourceId: SourceId;
    title: string;
    mediaType: string;
    language: string;
    checksum: Digest;
    fingerprint: Digest;
    chunkingVersion: ChunkingVersion;
    labels: Labels;
    origin: Origin;
    metadata: Readonly<Record<string, string>>;
    /** In text order. */
    chunks: readonly (ChunkPlace & Readonly<{ chunkId: ChunkId }>)[];
    /** The chunks that read models must write: new ones, or all if labels, origin or title changed or a swap made the list. */
    written: readonly ChunkId[];
    /** Chunks of the previous version that no longer exist. */
    removed: readonly ChunkId[];
    /** Number of chunks that could not be embedded. */
    failedChunks: number;
    /** Messages for users about content that was lost or truncated. */
    warnings: readonly string[];
    /** Why the list has the chunks of another one, for example because the upload is lost. */
    notRechunked?: string;
    /** The latest submitted version, if the list is of an earlier one. */
    latestVersion?: number;
    indexedAt: string;
  }
>;

/** The same source was submitted again, unchanged. Nothing was processed. */
export type DocumentSkipped = Event<
  'DocumentSkipped',
  { documentId: DocumentId; version: number; checksum: Digest; reason: 'unchanged'; skippedAt: string }
>;

/** This version could not be indexed. The previous version, if any, stays searchable. */
export type DocumentFailed = Event<
  'DocumentFailed',
  { documentId: DocumentId; version: number; reason: string; detail: string; failedAt: string }
>;

/** `reason` of a document that waits for an embedding model. */
export const WAITING_FOR_MODEL = 'waiting-for-model';

/** This version cannot be processed at the moment and waits. It does not count as an attempt. */
export type DocumentDeferred = Event<
  'DocumentDeferred',
  { documentId: DocumentId; version: number; reason: string; detail: string; deferredAt: string }
>;

/** The document is no longer visible. `chunks` lists the chunks that read models must remove. */
export type DocumentDeleted = Event<
  'DocumentDeleted',
  { documentId: DocumentId; version: number; chunks: readonly ChunkId[]; deletedAt: string }
>;

export type DocumentEvent =
  | DocumentSubmitted
  | DocumentProcessingStarted
  | KnowledgeChunkIndexed
  | KnowledgeChunkFailed
  | KnowledgeChunkReembedded
  | KnowledgeChunkReembedFailed
  | DocumentIndexed
  | DocumentSkipped
  | DocumentFailed
  | DocumentDeferred
  | DocumentDeleted
  | DocumentHistoryRemoved;

/** The projections that read each type. */
export const DOCUMENT_READERS = {
  DocumentSubmitted: ['catalog', 'relay', 'event-views', 'document-list'],
  DocumentProcessingStarted: ['catalog', 'event-views', 'document-list'],
  KnowledgeChunkIndexed: ['indexes', 'event-views', 'document-list'],
  KnowledgeChunkFailed: ['event-views'],
  KnowledgeChunkReembedded: ['catalog', 'indexes', 'event-views'],
  KnowledgeChunkReembedFailed: ['catalog', 'indexes', 'event-views'],
  DocumentIndexed: ['catalog', 'indexes', 'event-views', 'document-list'],
  DocumentSkipped: ['event-views'],
  DocumentFailed: ['catalog', 'event-views', 'document-list'],
  DocumentDeferred: ['catalog', 'event-views', 'document-list'],
  DocumentDeleted: ['catalog', 'indexes', 'event-views', 'document-list'],
  DocumentHistoryRemoved: ['catalog', 'indexes', 'event-views'],
} as const satisfies ReadersOf<DocumentEvent>;

/** Contents of `sealedText`: the exact slice of the text, and the context above it for search and display. */
export type ChunkText = Readonly<{ text: string; contextPrefix: string; headings: readonly string[] }>;
