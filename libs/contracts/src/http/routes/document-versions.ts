import { z } from 'zod';
import { wire } from '../../schemas/values.ts';
import { limit } from '../query-params.ts';
import { REQUEST_LIMITS } from '../request-limits.ts';
import { route } from '../route.ts';
import { documentDiff, documentVersionDetails } from '../views/document-versions.ts';

const MAX_VERSION = 999_999_999;
/** A number in an address is sent as a string. */
const version = z.coerce.number<number>().int().min(1).max(MAX_VERSION);

/** As in the examples of the other routes of documents. */
const id = { id: 'e51de665c97530edd6498a34becb6df7' };

export const getVersion = route({
  id: 'DocumentVersions.get',
  method: 'get',
  path: '/v1/documents/{id}/versions/{version}',
  service: 'ingestion',
  tag: 'Documents',
  limitedByLabels: true,
  summary: 'Get a version of a document with its chunks, or the reason why it was not indexed',
  description:
    'Read from the event log, so versions that were replaced and those of deleted documents are returned, too. If the version has several chunk lists, the one that served first. For a document that the caller may not read, the response is the same as for one that does not exist.',
  role: 'reader',
  params: z.object({ id: wire.documentId, version }),
  query: z.strictObject({ limit: limit(REQUEST_LIMITS.page.documents, 100), cursor: z.string().max(20).exactOptional() }),
  status: 200,
  response: documentVersionDetails,
  problems: ['HistoryRemoved', 'Conflict', 'ScopeKeyDestroyed'],
  example: { parameters: { ...id, version: 1, limit: 1 } },
});

export const diffVersions = route({
  id: 'DocumentVersions.diff',
  method: 'get',
  path: '/v1/documents/{id}/diff',
  service: 'ingestion',
  tag: 'Documents',
  limitedByLabels: true,
  summary: 'Compare two versions of a document: chunks and lines of text',
  description:
    'Without `from` and `to`, the last two versions that were indexed; without `from`, the one before `to`; without `to`, the last one. A version that was not indexed cannot be compared (409). Large texts are compared by chunk only (`unifiedMissing`).',
  role: 'reader',
  params: z.object({ id: wire.documentId }),
  query: z.strictObject({
    from: version.describe('the earlier version').exactOptional(),
    to: version.describe('the later version').exactOptional(),
  }),
  status: 200,
  response: documentDiff,
  problems: ['HistoryRemoved', 'Conflict', 'ScopeKeyDestroyed'],
  example: { parameters: { ...id, from: 1, to: 2 } },
});
