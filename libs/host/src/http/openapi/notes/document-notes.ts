import type { OperationNotes } from './operation-note.ts';

/** Id of the document in the examples: tenant `default`, knowledge base `handbook`. */
const HOLIDAYS = 'e51de665c97530edd6498a34becb6df7';
const id = { id: HOLIDAYS };

export const DOCUMENT_NOTES: OperationNotes = {
  'POST /v1/documents': {
    answer: 'SubmissionResult',
    role: 'writer',
    description:
      'An accepted document is durable: its bytes are encrypted in the store, and the event is on disk. Searches return it once its `status` is `indexed`. A document that already exists with the same content is `skipped`. In a form, the fields must come before the files and apply to each file. Once a file was accepted, an invalid file is reported as `rejected` and does not fail the request.',
    example: {
      body: {
        'application/json': {
          knowledgeBase: 'handbook', sourceId: 'holidays.md', title: 'Holidays', labels: { team: 'people' },
          text: '# Holidays\n\nEverybody has 30 days of holiday a year.\n\n## Carrying over\n\nUp to 5 days may be carried over to March of the next year.\n',
        },
        'multipart/form-data': { knowledgeBase: 'handbook', labels: '{"team":"people"}', file: ['# Travel\n\nTrains are booked by the office; keep the receipts of everything else.\n'] },
      },
    },
  },
  'GET /v1/documents': {
    answer: 'DocumentPage',
    description: 'Returns one page. `next` is the `cursor` of the next page and is missing on the last one. A filter on something that the caller may not read matches nothing.',
    example: { parameters: { knowledgeBase: 'handbook', status: 'indexed', limit: 1 } },
  },
  'PUT /v1/documents/{id}': {
    answer: 'SubmissionResult',
    role: 'writer',
    description: 'Submits a new version of the document. Searches return the previous version until the new one is indexed, then switch in one step. Unchanged chunks keep their ids and vectors.',
    example: {
      parameters: { ...id, 'if-match': '"1"' },
      body: {
        'application/json': { text: '# Holidays\n\nEverybody has 30 days of holiday a year.\n\n## Carrying over\n\nUp to 10 days may be carried over to June of the next year.\n' },
        'multipart/form-data': { file: ['# Holidays\n\nEverybody has 31 days of holiday a year.\n'] },
      },
    },
  },
  'DELETE /v1/documents/{id}': {
    answer: 'DocumentDeleted',
    role: 'writer',
    description: 'Responds when no search and no list of this process shows the document any more. Its contents stay on the event log, encrypted.',
    example: { parameters: id },
  },
  'GET /v1/documents/{id}': { answer: 'DocumentDetails', description: 'Returns the current state in the catalog. For a document that the caller may not read, the response is the same as for one that does not exist.', example: { parameters: id } },
  'GET /v1/documents/{id}/chunks': {
    answer: 'ChunkPage',
    description: 'Returns the chunks of the version that searches return, in text order. Offsets count UTF-16 code units; lines count from 1.',
    example: { parameters: { ...id, limit: 1 } },
  },
  'POST /v1/documents/{id}/retry': {
    answer: 'SubmissionResult',
    role: 'writer',
    description: 'Processes a failed document again, after its cause was fixed. The upload is read from the store and need not be sent again.',
    example: { parameters: id },
  },
  'GET /v1/documents/live': {
    answer: 'DocumentChange',
    stream: 'text/event-stream',
    description: 'Messages are named `document`. The `id` of each is a position: with `Last-Event-ID` or `after`, a new stream continues after it without a gap. The last message, `end`, holds the reason why the server ended the stream.',
    example: { parameters: { knowledgeBase: 'handbook', after: '0' } },
  },
};
