import type { OperationNotes } from './operation-note.ts';

/** Of the document that the examples are about: of the tenant `default`, in the knowledge base `handbook`. */
const HOLIDAYS = 'e51de665c97530edd6498a34becb6df7';
const id = { id: HOLIDAYS };

export const DOCUMENT_NOTES: OperationNotes = {
  'POST /v1/documents': {
    answer: 'SubmissionResult',
    role: 'writer',
    description:
      'Accepted means durable: the bytes are sealed in the store and the event is on disk. It can be found when its `status` is `indexed`. What is there just so already is `skipped`. In a form, the fields come before the files and hold for each of them; once a file was accepted, one that is refused is `rejected` by itself.',
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
    description: 'One page; `next` is the `cursor` of the one that follows, and is missing on the last. Filters that name what the caller may not read find nothing.',
    example: { parameters: { knowledgeBase: 'handbook', status: 'indexed', limit: 1 } },
  },
  'PUT /v1/documents/{id}': {
    answer: 'SubmissionResult',
    role: 'writer',
    description: 'A new version of the same document. Searches find the one before until this one is indexed, then at once the new one; chunks that did not change keep their ids and vectors.',
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
    description: 'Answers when no search and no list of this process shows it any more. What it held stays on the log, sealed.',
    example: { parameters: id },
  },
  'GET /v1/documents/{id}': { answer: 'DocumentDetails', description: 'As the catalogue shows it now. A document that the caller may not read is answered like one that is not there.', example: { parameters: id } },
  'GET /v1/documents/{id}/chunks': {
    answer: 'ChunkPage',
    description: 'Of the version that searches find, in the order of the text. Offsets count UTF-16 units, lines from 1.',
    example: { parameters: { ...id, limit: 1 } },
  },
  'POST /v1/documents/{id}/retry': {
    answer: 'SubmissionResult',
    role: 'writer',
    description: 'For a document that failed, once the cause is gone: the upload is taken from the store, nothing is sent again.',
    example: { parameters: id },
  },
  'GET /v1/documents/live': {
    answer: 'DocumentChange',
    stream: 'text/event-stream',
    description: 'Messages named `document`. The `id` of each is a position: `Last-Event-ID` or `after` goes on behind it without a gap. The last message, `end`, tells why the server ended it.',
    example: { parameters: { knowledgeBase: 'handbook', after: '0' } },
  },
};
