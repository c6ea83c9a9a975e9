/** A position on the event log, as a decimal string. A write returns one; a search can require that results are at least as new. */
export type Position = string;

export type DocumentStatus = 'pending' | 'processing' | 'indexed' | 'failed';
export type Origin = 'UserContent' | 'Narrative' | 'Note' | 'Synthetic';
export type Labels = Readonly<Record<string, string>>;

/** The current state of a document. Times are ISO 8601 in UTC, sizes are in bytes. */
export type DocumentView = Readonly<{
  documentId: string;
  knowledgeBase: string;
  scope: string;
  sourceId: string;
  title: string;
  status: DocumentStatus;
  /** The latest submitted version, from 1. */
  version: number;
  /** The version that searches return. Missing until the first version is indexed. */
  indexedVersion?: number;
  /** Why processing failed: a stable code. `detail` explains it in a sentence. */
  reason?: string;
  detail?: string;
  mediaType: string;
  bytes: number;
  chunks: number;
  /** Parts of the text that the embedding model refused and that no search finds. */
  failedChunks: number;
  /** How many of `chunks` the current embedding model refused: only lexical search finds them. */
  withoutVector: number;
  language: string;
  labels: Labels;
  origin: Origin;
  warnings: readonly string[];
  submittedAt: string;
  indexedAt?: string;
}>;

export type DocumentVersion = Readonly<{
  version: number;
  status: string;
  submittedAt: string;
  finishedAt?: string;
  checksum: string;
  bytes: number;
  chunks?: number;
  reason?: string;
}>;

export type DocumentDetails = DocumentView & Readonly<{ versions: readonly DocumentVersion[] }>;

/** `start` and `end` are offsets into the document's text; `fromLine` and `toLine` are line numbers, from 1. */
export type ChunkView = Readonly<{
  chunkId: string;
  index: number;
  of: number;
  text: string;
  contextPrefix: string;
  headings: readonly string[];
  start: number;
  end: number;
  fromLine: number;
  toLine: number;
  page?: number;
  /** For source code: the symbol that the chunk defines. */
  symbol?: string;
  language: string;
}>;

/**
 * The status of one submitted file. `skipped`: the document already has exactly this content, or, with an `error`, this content
 * failed to be read before.
 */
export type Submission =
  | Readonly<{ status: 'accepted'; sourceId: string; documentId: string; version: number }>
  | Readonly<{ status: 'skipped'; sourceId: string; documentId: string; version: number; error?: Readonly<{ code: string; detail: string }> }>
  | Readonly<{ status: 'rejected'; sourceId: string; error: Readonly<{ code: string; detail: string }> }>;

export type SubmissionResult = Readonly<{ documents: readonly Submission[]; position: Position }>;

/** `position`: position of the deletion event. No search returns the document any more. */
export type DocumentDeleted = Readonly<{ documentId: string; position: Position }>;

/** `total`: number of documents on all pages, if the filter asks for it. */
export type DocumentPage = Readonly<{ documents: readonly DocumentView[]; next?: string; total?: number }>;
export type ChunkPage = Readonly<{ chunks: readonly ChunkView[]; next?: string }>;

/** Fields of a document in addition to its content. */
export type DocumentFields = Readonly<{
  /** Id of the knowledge base. Default `default`. */
  knowledgeBase?: string | undefined;
  title?: string | undefined;
  labels?: Labels | undefined;
  /** Default `UserContent`. */
  origin?: Origin | undefined;
  /** Index the document again even if its content has not changed. */
  force?: boolean | undefined;
}>;

export type TextDocument = DocumentFields &
  Readonly<{
    /** The owner's name for the document: for example a path, a URL or a key. */
    sourceId: string;
    text: string;
    /** Default `text/markdown`. */
    mediaType?: string | undefined;
  }>;

export type FileContent = Readonly<{
  /** Becomes the document's source id; may contain "/". */
  name: string;
  content: Uint8Array | Blob;
  mediaType?: string | undefined;
}>;

export type DocumentFilter = Readonly<{
  knowledgeBase?: string | undefined;
  status?: DocumentStatus | undefined;
  source?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
  /** Also return the number of documents on all pages. */
  total?: boolean | undefined;
}>;
