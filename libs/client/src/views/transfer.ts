import type { Labels, Origin, Position } from './documents.ts';

/** The first line of an export. Each document follows as `document`, `bytes` (pieces of its upload), `chunk` and `document-end`. */
export type ExportHead = Readonly<{
  kind: 'export';
  format: number;
  scope: string;
  /** Whose vectors it holds. */
  embeddingVersion: string;
  exportedAt: string;
  /** How many follow, at most. */
  documents: number;
  knowledgeBases: readonly Readonly<{ id: string; name: string; description: string; chunking: unknown; language?: string; status: 'active' | 'archived' }>[];
}>;

/** The last line: without it the export was cut off. */
export type ExportEnd = Readonly<{ kind: 'end'; documents: number; chunks: number }>;

/** A document’s first line. Without `indexed`, it was never indexed: it has no chunks, and is handed in anew. */
export type ExportedDocument = Readonly<{
  kind: 'document';
  knowledgeBase: string;
  sourceId: string;
  title?: string;
  fileName?: string;
  mediaType?: string;
  labels: Labels;
  origin: Origin;
  /** Of the upload. */
  bytes: number;
  checksum: string;
  /** False when its installation had lost the upload: then no `bytes` follow. */
  upload: boolean;
  indexed?: Readonly<{
    title: string;
    mediaType: string;
    language: string;
    fingerprint: string;
    chunkingVersion: string;
    metadata: Readonly<Record<string, string>>;
    failedChunks: number;
    warnings: readonly string[];
    /** How many `chunk` lines follow. */
    chunks: number;
  }>;
}>;

/** A piece of the upload, in base64. */
export type ExportedBytes = Readonly<{ kind: 'bytes'; data: string }>;

export type ExportedChunk = Readonly<{
  kind: 'chunk';
  start: number;
  end: number;
  fromLine: number;
  toLine: number;
  page?: number;
  index: number;
  of: number;
  text: string;
  contextPrefix: string;
  headings: readonly string[];
  language: string;
  symbol?: string;
  tokens: number;
  truncated: boolean;
  /** Little-endian float32, base64. */
  vector: string;
  /** Those of the further windows of a text that was too long for one. */
  furtherVectors?: readonly string[];
  embeddingVersion: string;
}>;

export type ExportedDocumentEnd = Readonly<{ kind: 'document-end' }>;

/** A line of an export. */
export type ExportRecord = ExportHead | ExportedDocument | ExportedBytes | ExportedChunk | ExportedDocumentEnd | ExportEnd;

/** `vectors`: they are taken as they were exported; `re-embed`: documents are handed in anew. */
export type ImportBegun = Readonly<{
  scope: string;
  embeddingVersion: string;
  mode: 'vectors' | 're-embed';
  knowledgeBases: readonly Readonly<{ id: string; status: 'made' | 'found' }>[];
}>;

type ImportedSource = Readonly<{ documentId: string; sourceId: string; knowledgeBase: string }>;

/**
 * What became of one document. `imported`: with its chunks and vectors; `accepted`: it waits to be indexed here; `unchanged`: it is
 * there just so; `kept`: another content is there, and was left alone.
 */
export type ImportedDocument =
  | (ImportedSource & Readonly<{ status: 'imported' | 'accepted' | 'unchanged' | 'kept'; version: number }>)
  | (ImportedSource & Readonly<{ status: 'rejected'; error: Readonly<{ code: string; detail: string }> }>);

export type ImportResult = Readonly<{ documents: readonly ImportedDocument[]; position: Position }>;

/** `embeddingVersion`: of the export; needed unless `reembed`. `overwrite`: replace documents that are there with other content. */
export type ImportOptions = Readonly<{ embeddingVersion?: string | undefined; reembed?: boolean | undefined; overwrite?: boolean | undefined }>;
