import type { OperationNotes } from './operation-note.ts';

const parameters = { id: 'handbook' };

export const KNOWLEDGE_BASE_NOTES: OperationNotes = {
  'POST /v1/knowledge-bases': {
    answer: 'KnowledgeBaseWritten',
    role: 'writer',
    description: 'Every document belongs to a knowledge base, and every knowledge base to a scope. The scope determines who may read it and cannot be changed later.',
    example: { body: { 'application/json': { id: 'handbook', name: 'Handbook', description: 'How we work', scope: 'deployment', chunking: { markdown: { maxChars: 1200 } } } } },
  },
  'GET /v1/knowledge-bases': { answer: 'KnowledgeBaseList', description: 'Returns all knowledge bases that the caller may read, with the number of their documents.' },
  'GET /v1/knowledge-bases/{id}': { answer: 'KnowledgeBaseView', description: 'For a knowledge base that the caller may not read, the response is the same as for one that does not exist.', example: { parameters } },
  'PATCH /v1/knowledge-bases/{id}': {
    answer: 'KnowledgeBaseWritten',
    role: 'writer',
    description: 'Omitted fields keep their values; `chunking` is replaced as a whole. A changed `language` also applies to indexed documents whose own language is unknown; `null` declares no language.',
    example: { parameters, body: { 'application/json': { description: 'How we work, and when not' } } },
  },
  'POST /v1/knowledge-bases/{id}/pause': { answer: 'KnowledgeBaseWritten', role: 'writer', description: 'New documents are refused with 409 until the knowledge base is resumed. Documents that are being processed are completed.', example: { parameters } },
  'POST /v1/knowledge-bases/{id}/resume': { answer: 'KnowledgeBaseWritten', role: 'writer', description: 'Only for a paused knowledge base.', example: { parameters } },
  'POST /v1/knowledge-bases/{id}/archive': { answer: 'KnowledgeBaseWritten', role: 'writer', description: 'Archiving cannot be undone.', example: { parameters } },
};
