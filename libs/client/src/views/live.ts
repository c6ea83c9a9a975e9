import type { DocumentStatus, DocumentView, Position } from './documents.ts';

/**
 * A changed document, as the catalog shows it now: a later `GET /v1/documents/{id}` returns a state that is at least as new.
 * Changes that arrive together are reported as one, the latest.
 */
export type DocumentChange = Readonly<{
  /** Position of the latest event that caused the change. */
  position: Position;
  documentId: string;
  /** The status of the document, or `deleted`. */
  status: DocumentStatus | 'deleted';
  /** When that event was recorded. */
  at: string;
  /** While the status is `processing` and chunks are being embedded: chunks done, of all chunks. */
  progress?: Readonly<{ chunks: number; of: number }>;
  /** Missing if the document was deleted. */
  document?: DocumentView;
}>;

export type DocumentChangeFilter = Readonly<{ document?: string | undefined; knowledgeBase?: string | undefined }>;

/**
 * The last message of a stream that the server ends: `slow` (the reader did not keep up), `shutdown`, `refused` (the key was
 * revoked), `failed`. Except after `refused`, a new connection with the id of the last message continues the stream.
 */
export type StreamEnd = Readonly<{ reason: 'slow' | 'shutdown' | 'refused' | 'failed' }>;
