import type { Position } from './documents.ts';

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
  knowledgeBases: readonly Readonly<{ id: string; name: string; description: string; chunking: unknown; status: 'active' | 'archived' }>[];
}>;

/** The last line: without it the export was cut off. */
export type ExportEnd = Readonly<{ kind: 'end'; documents: number; chunks: number }>;

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
