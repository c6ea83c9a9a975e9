import type { DocumentStatus, DocumentView, Position } from './documents.ts';

/**
 * A document that changed, as the catalogue shows it now: a later `GET /v1/documents/{id}` is never older. Several changes that
 * come at once are told as one, the latest.
 */
export type DocumentChange = Readonly<{
  /** Of the latest event that led to it. */
  position: Position;
  documentId: string;
  /** `deleted` beside the states that a document has. */
  status: DocumentStatus | 'deleted';
  /** When that event was recorded. */
  at: string;
  /** While it is `processing`, once its chunks are embedded: how far that has come. */
  progress?: Readonly<{ chunks: number; of: number }>;
  /** Missing when it is deleted. */
  document?: DocumentView;
}>;

export type DocumentChangeFilter = Readonly<{ document?: string | undefined; knowledgeBase?: string | undefined }>;

/**
 * The last message of a stream that the server ends: `slow` (the reader did not keep up), `shutdown`, `refused` (the key was
 * revoked), `failed`. All but `refused` go on where they were, by the id of the last message.
 */
export type StreamEnd = Readonly<{ reason: 'slow' | 'shutdown' | 'refused' | 'failed' }>;
