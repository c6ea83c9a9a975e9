import { z } from 'zod';
import { part, view } from '../view.ts';
import { position, documentStatus, documentView } from './documents.ts';

export const documentChange = view(
  'DocumentChange',
  {
    position: position.describe('Position of the latest event that caused the change.'),
    documentId: z.string(),
    status: z.union([documentStatus, z.literal('deleted')]).describe('The status of the document, or `deleted`.'),
    at: z.string().describe('When that event was recorded.'),
    progress: part({ chunks: z.number(), of: z.number() })
      .describe('While the status is `processing` and chunks are being embedded: chunks done, of all chunks.')
      .exactOptional(),
    document: documentView.describe('Missing if the document was deleted.').exactOptional(),
  },
  'A changed document, as the catalog shows it now: a later `GET /v1/documents/{id}` returns a state that is at least as new. Changes that arrive together are reported as one, the latest.',
);
export type DocumentChange = z.infer<typeof documentChange>;

export const streamEnd = view(
  'StreamEnd',
  { reason: z.enum(['slow', 'shutdown', 'refused', 'failed', 'complete']) },
  'The last message of a stream that the server ends: `slow` (the reader did not keep up), `shutdown`, `refused` (the key was revoked), `failed`, or `complete` (what it reported has ended). Except after `refused` and `complete`, a new connection with the id of the last message continues the stream.',
);
export type StreamEnd = z.infer<typeof streamEnd>;
