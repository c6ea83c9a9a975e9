import type { OperationNotes } from './operation-note.ts';

const parameters = { id: 'handbook' };

export const KNOWLEDGE_BASE_NOTES: OperationNotes = {
  'POST /v1/knowledge-bases': {
    answer: 'KnowledgeBaseWritten',
    role: 'writer',
    description: 'Documents live in knowledge bases, knowledge bases in a scope. The scope decides who may read, and cannot be changed afterwards.',
    example: { body: { 'application/json': { id: 'handbook', name: 'Handbook', description: 'How we work', scope: 'deployment', chunking: { markdown: { maxChars: 1200 } } } } },
  },
  'GET /v1/knowledge-bases': { answer: 'KnowledgeBaseList', description: 'All of them, with the number of their documents.' },
  'GET /v1/knowledge-bases/{id}': { answer: 'KnowledgeBaseView', description: 'One that the caller may not read is answered like one that is not there.', example: { parameters } },
  'PATCH /v1/knowledge-bases/{id}': {
    answer: 'KnowledgeBaseWritten',
    role: 'writer',
    description: 'What is left out stays as it is; `chunking` is taken as a whole. Another `language` also reaches documents that are indexed and whose own language is unknown; `null` declares none.',
    example: { parameters, body: { 'application/json': { description: 'How we work, and when not' } } },
  },
  'POST /v1/knowledge-bases/{id}/pause': { answer: 'KnowledgeBaseWritten', role: 'writer', description: 'New documents are refused with 409 until it is resumed. What is being worked on is finished.', example: { parameters } },
  'POST /v1/knowledge-bases/{id}/resume': { answer: 'KnowledgeBaseWritten', role: 'writer', description: 'Only of a paused one.', example: { parameters } },
  'POST /v1/knowledge-bases/{id}/archive': { answer: 'KnowledgeBaseWritten', role: 'writer', description: 'There is no way back.', example: { parameters } },
};
