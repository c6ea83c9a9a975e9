import type { BlobKey } from '../ports/blob-store.ts';
import type { Labels, Origin } from '../values/labels.ts';
import type { ChunkId, DocumentId, KnowledgeBaseId, Sha256, SourceId } from '../values/ids.ts';
import type { ChunkingVersion, EmbeddingVersion } from '../values/versions.ts';
import type { Event } from './event.ts';

/** What a caller handed in, apart from the bytes themselves (sealed, in the blob store). */
export type Submission = Readonly<{
  knowledgeBase: KnowledgeBaseId;
  sourceId: SourceId;
  title?: string;
  fileName?: string;
  mediaType?: string;
  blob: BlobKey;
  bytes: number;
  checksum: Sha256;
  /** SHA-256 over everything that decides what would be indexed: checksum, labels, origin, title, chunking settings. */
  fingerprint: Sha256;
  labels: Labels;
  origin: Origin;
}>;

export type DocumentSubmitted = Event<
  'DocumentSubmitted',
  Submission & { documentId: DocumentId; version: number; submittedAt: string }
>;

export type DocumentProcessingStarted = Event<
  'DocumentProcessingStarted',
  { documentId: DocumentId; version: number; startedAt: string }
>;

/** Offsets are UTF-16 code units into the extracted text, `end` exclusive; lines and pages are 1-based. */
export type ChunkPlace = Readonly<{ start: number; end: number; fromLine: number; toLine: number; page?: number }>;

/** One chunk with its text and vector, both sealed under the scope's key (base64). */
export type KnowledgeChunkIndexed = Event<
  'KnowledgeChunkIndexed',
  ChunkPlace & {
    documentId: DocumentId;
    version: number;
    chunkId: ChunkId;
    /** 0-based and dense, as the document was cut for this version. */
    index: number;
    of: number;
    contentHash: Sha256;
    /** Sealed JSON of `ChunkText`. */
    sealedText: string;
    /** Sealed little-endian float32, as many as the embedding version's dimensions. */
    sealedVector: string;
    /** Where the text was too long for one vector: those of its other windows, one after the other, sealed in the same form. */
    sealedFurtherVectors?: string;
    embeddingVersion: EmbeddingVersion;
    chunkingVersion: ChunkingVersion;
    language: string;
    symbol?: string;
    origin: Origin;
    labels: Labels;
    /** As the embedding model counted them. */
    tokens: number;
    /** The end of the text is in none of the vectors. */
    truncated: boolean;
  }
>;

/** One chunk could not be embedded and was left out; the rest of the document goes on. */
export type KnowledgeChunkFailed = Event<
  'KnowledgeChunkFailed',
  { documentId: DocumentId; version: number; chunkId: ChunkId; index: number; embeddingVersion: EmbeddingVersion; reason: string }
>;

/** A further vector of a chunk that is on the log already; `madeFrom` is the revision of the event that holds its text. */
export type KnowledgeChunkReembedded = Event<
  'KnowledgeChunkReembedded',
  {
    documentId: DocumentId; chunkId: ChunkId; embeddingVersion: EmbeddingVersion; sealedVector: string; sealedFurtherVectors?: string;
    madeFrom: number; tokens: number; truncated: boolean;
  }
>;

export type KnowledgeChunkReembedFailed = Event<
  'KnowledgeChunkReembedFailed',
  { documentId: DocumentId; chunkId: ChunkId; embeddingVersion: EmbeddingVersion; reason: string }
>;

/** The commit point: from this event on, searches see exactly these chunks of the document. */
export type DocumentIndexed = Event<
  'DocumentIndexed',
  {
    documentId: DocumentId;
    version: number;
    knowledgeBase: KnowledgeBaseId;
    sourceId: SourceId;
    title: string;
    mediaType: string;
    language: string;
    checksum: Sha256;
    fingerprint: Sha256;
    chunkingVersion: ChunkingVersion;
    labels: Labels;
    origin: Origin;
    metadata: Readonly<Record<string, string>>;
    /** In the order of the text. */
    chunks: readonly (ChunkPlace & Readonly<{ chunkId: ChunkId }>)[];
    /** Those of `chunks` that the read models must write: new ones, or all when labels, origin or title changed. */
    written: readonly ChunkId[];
    /** Those of the version before that are gone. */
    removed: readonly ChunkId[];
    /** Chunks that could not be embedded. */
    failedChunks: number;
    /** What was lost or cut on the way, in words. */
    warnings: readonly string[];
    indexedAt: string;
  }
>;

/** The same source came again, unchanged: nothing was done. */
export type DocumentSkipped = Event<
  'DocumentSkipped',
  { documentId: DocumentId; version: number; checksum: Sha256; reason: 'unchanged'; skippedAt: string }
>;

/** This version could not be indexed; the version before, if any, stays searchable. */
export type DocumentFailed = Event<
  'DocumentFailed',
  { documentId: DocumentId; version: number; reason: string; detail: string; failedAt: string }
>;

/** The reason of a document that waits for an embedding model. */
export const WAITING_FOR_MODEL = 'waiting-for-model';

/** This version cannot be worked on here and now, and waits: no attempt at it counts. */
export type DocumentDeferred = Event<
  'DocumentDeferred',
  { documentId: DocumentId; version: number; reason: string; detail: string; deferredAt: string }
>;

/** Gone from every read; `chunks` are those that the read models must forget. */
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
  | DocumentDeleted;

/** What `sealedText` holds: the exact slice of the text, and what stands above it for search and reading. */
export type ChunkText = Readonly<{ text: string; contextPrefix: string; headings: readonly string[] }>;
