import { z } from 'zod';
import { LENGTHS } from '@palimpsest/knowledge/texts';
import { DOCUMENT_STATES } from '@palimpsest/knowledge/read-models';
import { wire } from '../../schemas/values.ts';
import { wellFormed, wellFormedValues } from '../../schemas/well-formed.ts';
import { asOf, flag, ifMatch, lastEventId, limit, startAfter } from '../query-params.ts';
import { REQUEST_LIMITS } from '../request-limits.ts';
import { documents, json, route } from '../route.ts';
import { chunkPage, documentDeleted, documentDetails, documentPage, documentsDeleted, submissionResult } from '../views/documents.ts';
import { documentChange } from '../views/live.ts';
import type { Filter } from '../views/search.ts';

const about = {
  knowledgeBase: wire.knowledgeBaseId.default(wire.knowledgeBaseId.parse('default')),
  title: wire.title.exactOptional(),
  mediaType: wire.mediaType.exactOptional(),
  labels: wellFormedValues(wire.givenLabels).describe('each value a string, or a list of keywords').default({}),
  origin: wire.origin.default('UserContent'),
  subject: wire.subjectId
    .describe('the person whom the document is about, as your systems name them: `POST /v1/subjects/erasure` erases everything about them')
    .exactOptional(),
};

const textDocument = z.strictObject({
  ...about,
  mediaType: wire.mediaType.default(wire.mediaType.parse('text/markdown')),
  sourceId: wire.sourceId,
  text: wellFormed(z.string().refine((text) => text.trim() !== '', 'expected some text')),
  force: z.boolean().default(false),
});

/** JSON in a field that can only be text. */
const jsonText = (example: string) =>
  z.string().transform((raw, context) => {
    try {
      return JSON.parse(raw) as unknown;
    } catch {
      context.addIssue({ code: 'custom', message: `expected JSON, like ${example}` });
      return z.NEVER;
    }
  });

/** The fields of a form with uploaded files, where every value is a string. */
const form = z.strictObject({
  ...about,
  sourceId: wire.sourceId.describe('only for a single file; several files are named by their file names').exactOptional(),
  labels: jsonText('{"team":"red"}').describe('a JSON object of strings, or of lists of keywords').pipe(about.labels).prefault('{}'),
  force: flag('index the document again even if its content has not changed'),
});

const headers = ifMatch('document', 1);

const params = z.object({ id: wire.documentId });
const pages = (max: number, byDefault: number) => ({ limit: limit(max, byDefault), cursor: z.string().max(4_000).exactOptional() });

/** Id of the document in the examples: tenant `default`, knowledge base `handbook`. */
const id = { id: 'e51de665c97530edd6498a34becb6df7' };

export const submitDocuments = route({
  id: 'Documents.submit',
  method: 'post',
  path: '/v1/documents',
  service: 'ingestion',
  tag: 'Documents',
  limitedByLabels: true,
  summary: 'Add documents: text as JSON, or files as multipart/form-data (fields before files)',
  description:
    'An accepted document is durable: its bytes are encrypted in the store, and the event is on disk. Searches return it once its `status` is `indexed`. A document that already exists with the same content is `skipped`. In a form, the fields must come before the files and apply to each file. Once a file was accepted, an invalid file is reported as `rejected` and does not fail the request.',
  role: 'writer',
  rate: 'writes',
  idempotent: true,
  body: documents(textDocument, form),
  status: 202,
  response: submissionResult,
  problems: ['NotFound', 'Conflict', 'TooLarge', 'UnsupportedMediaType', 'QuotaExceeded'],
  example: {
    body: {
      'application/json': {
        knowledgeBase: 'handbook',
        sourceId: 'holidays.md',
        title: 'Holidays',
        labels: { team: 'people' },
        text: '# Holidays\n\nEverybody has 30 days of holiday a year.\n\n## Carrying over\n\nUp to 5 days may be carried over to March of the next year.\n',
      },
      'multipart/form-data': {
        knowledgeBase: 'handbook',
        labels: '{"team":"people"}',
        file: ['# Travel\n\nTrains are booked by the office; keep the receipts of everything else.\n'],
      },
    },
  },
});

export const listDocuments = route({
  id: 'Documents.list',
  method: 'get',
  path: '/v1/documents',
  service: 'ingestion',
  tag: 'Documents',
  limitedByLabels: true,
  summary: 'List the documents that the caller may read, sorted by source',
  description:
    'Returns one page. `next` is the `cursor` of the next page and is missing on the last one. A filter on something that the caller may not read matches nothing.',
  query: z.strictObject({
    ...pages(REQUEST_LIMITS.page.documents, 50),
    knowledgeBase: wire.knowledgeBaseId.exactOptional(),
    status: z.enum(DOCUMENT_STATES).exactOptional(),
    source: z.string().min(1).max(LENGTHS.sourceId).exactOptional().describe('only documents whose source starts with this text'),
    filter: jsonText('{"eq":{"field":"label.team","value":"people"}}')
      .pipe(z.custom<Filter>())
      .describe(
        'only documents that satisfy this filter: JSON, as in a search, on `label.<name>`, `source`, `title`, `documentId`, `knowledgeBase`, `mediaType`, `language` and `origin` of the latest version. A page then reads as many documents as it needs',
      )
      .exactOptional(),
    total: flag('`true`: also return the total number of documents on all pages; slower than reading a page if there are many'),
    asOf,
  }),
  status: 200,
  response: documentPage,
  problems: ['HistoryRemoved', 'NotFound', 'NotCaughtUp'],
  example: { parameters: { knowledgeBase: 'handbook', status: 'indexed', limit: 1 } },
});

export const replaceDocument = route({
  id: 'Documents.replace',
  method: 'put',
  path: '/v1/documents/{id}',
  service: 'ingestion',
  tag: 'Documents',
  limitedByLabels: true,
  summary:
    'Replace a document; its knowledge base and source stay the same. With If-Match: "<version>", refused if the document has a newer version',
  description:
    'Submits a new version of the document. Searches return the previous version until the new one is indexed, then switch in one step. Unchanged chunks keep their ids and vectors.',
  role: 'writer',
  rate: 'writes',
  params,
  headers,
  // The source stays the same, so `sourceId` is optional and ignored.
  body: documents(textDocument.partial({ sourceId: true }), form),
  status: 202,
  response: submissionResult,
  problems: ['Conflict', 'TooLarge', 'UnsupportedMediaType', 'QuotaExceeded'],
  example: {
    parameters: { ...id, 'if-match': '"1"' },
    body: {
      'application/json': {
        text: '# Holidays\n\nEverybody has 30 days of holiday a year.\n\n## Carrying over\n\nUp to 10 days may be carried over to June of the next year.\n',
      },
      'multipart/form-data': { file: ['# Holidays\n\nEverybody has 31 days of holiday a year.\n'] },
    },
  },
});

export const deleteDocument = route({
  id: 'Documents.remove',
  method: 'delete',
  path: '/v1/documents/{id}',
  service: 'ingestion',
  tag: 'Documents',
  limitedByLabels: true,
  summary: 'Delete a document; searches no longer find it once the response arrives',
  description:
    'Responds when no search and no list of this process shows the document any more. Its contents stay on the event log, encrypted.',
  role: 'writer',
  rate: 'writes',
  params,
  headers,
  status: 200,
  response: documentDeleted,
  problems: ['Conflict', 'NotCaughtUp'],
  example: { parameters: id },
});

export const deleteDocuments = route({
  id: 'Documents.removeMatching',
  method: 'post',
  path: '/v1/documents/delete',
  service: 'ingestion',
  tag: 'Documents',
  limitedByLabels: true,
  summary: 'Delete the documents that match conditions, at most 1,000 in one request; send it again while `remaining` is not 0',
  description:
    'Names a knowledge base or a scope, and at least one further condition; a document must satisfy all of them. `knowledgeBase`, `status` and `source` select the same documents as in the list of documents. Send it with `dryRun` first, and then with `expected`: it deletes nothing if another number of documents matches. A document that is changed after it was selected is kept and counted in `changed`; one that appears later is left to the next request. Every deletion that a response counts is on the log. If there is no response, some of the documents may be deleted: send the request again, without `expected`. Responds when no search and no list of this process shows the deleted documents.',
  role: 'writer',
  rate: 'writes',
  body: json(
    z.strictObject({
      knowledgeBase: wire.knowledgeBaseId.exactOptional(),
      scope: wire.scope.exactOptional(),
      status: z.enum(DOCUMENT_STATES).exactOptional(),
      source: z.string().min(1).max(LENGTHS.sourceId).describe('only documents whose source starts with this text').exactOptional(),
      sourceId: wire.sourceId.describe('only documents with exactly this source').exactOptional(),
      labels: wire.labels.describe('only documents that have each of these labels').exactOptional(),
      ids: z.array(wire.documentId).min(1).max(REQUEST_LIMITS.deletions).describe('only documents with one of these ids').exactOptional(),
      // The domain parses filters. Until then, the declared type is a claim of the caller.
      filter: z.custom<Filter>().meta({ $ref: '#/components/schemas/Filter' }).exactOptional(),
      dryRun: z.boolean().default(false).describe('only say what matches, and delete nothing'),
      expected: wire.count.describe('refuse the request if another number of documents matches').exactOptional(),
    }),
  ),
  status: 200,
  response: documentsDeleted,
  problems: ['NotFound', 'Conflict', 'NotCaughtUp'],
  example: { body: { 'application/json': { knowledgeBase: 'handbook', labels: { team: 'people' }, dryRun: true } } },
});

export const getDocument = route({
  id: 'Documents.get',
  method: 'get',
  path: '/v1/documents/{id}',
  service: 'ingestion',
  tag: 'Documents',
  limitedByLabels: true,
  summary: 'Get a document with its versions',
  description:
    'Returns the current state in the catalog. For a document that the caller may not read, the response is the same as for one that does not exist.',
  params,
  query: z.strictObject({ asOf }),
  status: 200,
  response: documentDetails,
  problems: ['HistoryRemoved', 'NotCaughtUp'],
  example: { parameters: id },
});

export const listChunks = route({
  id: 'Documents.chunks',
  method: 'get',
  path: '/v1/documents/{id}/chunks',
  service: 'ingestion',
  tag: 'Documents',
  limitedByLabels: true,
  summary: 'List the chunks of a document',
  description:
    'Returns the chunks of the version that searches return, in text order. Offsets count UTF-16 code units; lines count from 1.',
  params,
  query: z.strictObject({ ...pages(REQUEST_LIMITS.page.documents, 100), asOf }),
  status: 200,
  response: chunkPage,
  problems: ['HistoryRemoved', 'NotCaughtUp'],
  example: { parameters: { ...id, limit: 1 } },
});

export const retryDocument = route({
  id: 'Documents.retry',
  method: 'post',
  path: '/v1/documents/{id}/retry',
  service: 'ingestion',
  tag: 'Documents',
  limitedByLabels: true,
  summary: 'Process a document again, as a new version with the same content',
  description:
    'Processes a failed document again, after its cause was fixed. The upload is read from the store and need not be sent again.',
  role: 'writer',
  rate: 'writes',
  params,
  status: 202,
  response: submissionResult,
  problems: ['Conflict', 'QuotaExceeded'],
  example: { parameters: id },
});

export const followDocuments = route({
  id: 'LiveDocuments.live',
  method: 'get',
  path: '/v1/documents/live',
  service: 'ingestion',
  tag: 'Documents',
  limitedByLabels: true,
  summary: 'Server-sent events: document changes, sent once the lists show them; resumes after Last-Event-ID',
  description:
    'Messages are named `document`. The `id` of each is a position: with `Last-Event-ID` or `after`, a new stream continues after it without a gap. The last message, `end`, holds the reason why the server ended the stream.',
  role: 'reader',
  work: 'none',
  headers: lastEventId('change'),
  query: z.strictObject({
    document: wire.documentId.exactOptional().describe('only changes of this document'),
    knowledgeBase: wire.knowledgeBaseId.exactOptional().describe('only changes of documents in this knowledge base'),
    ...startAfter,
  }),
  status: 200,
  stream: 'text/event-stream',
  response: documentChange,
  problems: ['NotFound', 'QuotaExceeded'],
  example: { parameters: { knowledgeBase: 'handbook', after: '0' } },
});
