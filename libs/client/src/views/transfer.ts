import type { Labels, Origin, Position } from './documents.ts';

/** The first line of an export. Each document follows as `document`, `bytes` (pieces of its upload), `chunk` and `document-end` lines. */
export type ExportHead = Readonly<{
  kind: 'export';
  format: number;
  scope: string;
  /** Embedding version of the vectors in the export. */
  embeddingVersion: string;
  exportedAt: string;
  /** Maximum number of documents that follow. */
  documents: number;
  knowledgeBases: readonly Readonly<{ id: string; name: string; description: string; chunking: unknown; language?: string; status: 'active' | 'archived' }>[];
}>;

/**
 * The first line of a sealed export. `sealed` contains the head with the knowledge bases. The lines of documents are `sealed` lines, and
 * can be read only with the key of the scope.
 */
export type SealedExportHead = Readonly<{
  kind: 'sealed-export';
  format: number;
  scope: string;
  exportId: string;
  embeddingVersion: string;
  exportedAt: string;
  /** Maximum number of documents that follow. */
  documents: number;
  sealed: string;
}>;

/** A sealed line of a document. `document` and `line` count from 0; `last`: the document ends with it. */
export type SealedExportLine = Readonly<{ kind: 'sealed'; document: number; line: number; last: boolean; data: string }>;

/** The last line. Without it, the export is incomplete. */
export type ExportEnd = Readonly<{ kind: 'end'; documents: number; chunks: number }>;

/** The first line of a document. Without `indexed`, the document was never indexed: it has no chunks, and the import submits it again. */
export type ExportedDocument = Readonly<{
  kind: 'document';
  knowledgeBase: string;
  sourceId: string;
  title?: string;
  fileName?: string;
  mediaType?: string;
  labels: Labels;
  origin: Origin;
  /** Size of the upload. */
  bytes: number;
  checksum: string;
  /** False if the exporting installation had lost the upload. Then no `bytes` lines follow. */
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
    /** Number of `chunk` lines that follow. */
    chunks: number;
  }>;
}>;

/** A piece of the upload, base64. */
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
  /** Vectors of the further windows, if the text was too long for one. */
  furtherVectors?: readonly string[];
  embeddingVersion: string;
}>;

export type ExportedDocumentEnd = Readonly<{ kind: 'document-end' }>;

/** A line of an export. */
export type ExportRecord = ExportHead | SealedExportHead | SealedExportLine | ExportedDocument | ExportedBytes | ExportedChunk | ExportedDocumentEnd | ExportEnd;

/** `vectors`: the exported vectors are used. `re-embed`: the documents are submitted again. */
export type ImportBegun = Readonly<{
  scope: string;
  embeddingVersion: string;
  mode: 'vectors' | 're-embed';
  knowledgeBases: readonly Readonly<{ id: string; status: 'made' | 'found' }>[];
}>;

type ImportedSource = Readonly<{ documentId: string; sourceId: string; knowledgeBase: string }>;

/**
 * The result for one document. `imported`: with its chunks and vectors. `accepted`: it waits to be indexed here. `unchanged`: it exists
 * with the same content. `kept`: it exists with other content, which was not changed.
 */
export type ImportedDocument =
  | (ImportedSource & Readonly<{ status: 'imported' | 'accepted' | 'unchanged' | 'kept'; version: number }>)
  | (ImportedSource & Readonly<{ status: 'rejected'; error: Readonly<{ code: string; detail: string }> }>);

export type ImportResult = Readonly<{ documents: readonly ImportedDocument[]; position: Position }>;

/**
 * `embeddingVersion`: that of the export; required unless `reembed` is set. `overwrite`: replace existing documents that have other
 * content.
 */
export type ImportOptions = Readonly<{
  embeddingVersion?: string | undefined;
  reembed?: boolean | undefined;
  overwrite?: boolean | undefined;
  /** Of a sealed export: its id and scope, and the renamed knowledge bases as `<old>=<new>`. */
  exportId?: string | undefined;
  exportScope?: string | undefined;
  rename?: readonly string[] | undefined;
}>;
