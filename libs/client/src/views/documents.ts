/** A place on the event log, as a decimal string. A write answers one; a search may ask to see at least that far. */
export type Position = string;

export type DocumentStatus = 'pending' | 'processing' | 'indexed' | 'failed';
export type Origin = 'UserContent' | 'Narrative' | 'Note' | 'Synthetic';
export type Labels = Readonly<Record<string, string>>;

/** What is known about a document now. Times are ISO 8601 in UTC, sizes are bytes. */
export type DocumentView = Readonly<{
  documentId: string;
  knowledgeBase: string;
  scope: string;
  sourceId: string;
  title: string;
  status: DocumentStatus;
  /** The version submitted last, from 1. */
  version: number;
  /** The version that searches find; missing until the first one is indexed. */
  indexedVersion?: number;
  /** Why it failed: a stable code, and a sentence. */
  reason?: string;
  detail?: string;
  mediaType: string;
  bytes: number;
  chunks: number;
  failedChunks: number;
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

/** `start` and `end` are offsets into the document's text, `fromLine` and `toLine` are 1-based lines of it. */
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
  /** Of source code: what the chunk defines. */
  symbol?: string;
  language: string;
}>;

/**
 * What became of one file of a submission. `skipped`: exactly this content is there already, or, with an `error`, was found
 * unreadable before.
 */
export type Submission =
  | Readonly<{ status: 'accepted'; sourceId: string; documentId: string; version: number }>
  | Readonly<{ status: 'skipped'; sourceId: string; documentId: string; version: number; error?: Readonly<{ code: string; detail: string }> }>
  | Readonly<{ status: 'rejected'; sourceId: string; error: Readonly<{ code: string; detail: string }> }>;

export type SubmissionResult = Readonly<{ documents: readonly Submission[]; position: Position }>;

/** `position`: of the event that deleted it; no search finds it any more. */
export type DocumentDeleted = Readonly<{ documentId: string; position: Position }>;

/** `total`: on all pages, where the filter asks for it. */
export type DocumentPage = Readonly<{ documents: readonly DocumentView[]; next?: string; total?: number }>;
export type ChunkPage = Readonly<{ chunks: readonly ChunkView[]; next?: string }>;

/** What may be said about a document beside its content. */
export type DocumentFields = Readonly<{
  /** Default `default`. */
  knowledgeBase?: string | undefined;
  title?: string | undefined;
  labels?: Labels | undefined;
  /** Default `UserContent`. */
  origin?: Origin | undefined;
  /** Index it again even when its content has not changed. */
  force?: boolean | undefined;
}>;

export type TextDocument = DocumentFields &
  Readonly<{
    /** The owner's name for the document: a path, a URL, a key. */
    sourceId: string;
    text: string;
    /** Default `text/markdown`. */
    mediaType?: string | undefined;
  }>;

export type FileContent = Readonly<{
  /** Becomes the document's source id; may hold "/". */
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
  /** Also count what is on all pages. */
  total?: boolean | undefined;
}>;
