import type { OperationNotes } from './operation-note.ts';

const scope = { scope: 'deployment' };
const letter = { id: '1' };

export const OPERATION_NOTES: OperationNotes = {
  'GET /v1/status': { answer: 'StatusView', description: 'Counts are of the caller’s tenant, for an operator of the installation; scopes are those that the caller may read.' },
  'GET /v1/overview': { answer: 'OverviewView', description: 'What the console’s first page shows. Figures are of the process that answers and lie in its memory.' },
  'GET /v1/dead-letters': { answer: 'DeadLetterList', role: 'operator', description: 'Of all tenants: ids, never contents.', example: { parameters: { limit: 10 } } },
  'POST /v1/dead-letters/{id}/retry': { answer: 'DeadLetterQueued', role: 'operator', description: 'When the cause is gone. What fails again comes back here.', example: { parameters: letter } },
  'DELETE /v1/dead-letters/{id}': { answer: 'nothing', role: 'operator', description: 'There is no way back; the document may be tried again by its own route.', example: { parameters: { id: '2' } } },
  'POST /v1/admin/rebuild': { answer: 'RebuildResult', role: 'operator', description: 'Answers when all is built. No embedding model is asked: vectors are on the log.' },
  'POST /v1/admin/verify': { answer: 'VerifyResult', role: 'operator', description: 'Answers when all is compared; writing goes on meanwhile. A `fingerprint` is the same wherever the same events were projected.' },
  'POST /v1/scopes/{scope}/reembed': {
    answer: 'ReembedStarted',
    role: 'admin',
    description: 'Vectors of the old model serve until every chunk has one of the new. With the current model already, it answers the active generation and does nothing.',
    example: { parameters: scope },
  },
  'GET /v1/scopes/{scope}/reembed': { answer: 'ReembedProgress', description: 'Of the generation that is being built, else of the active one.', example: { parameters: scope } },
  'POST /v1/scopes/{scope}/generations/{generation}/retire': {
    answer: 'GenerationRetired',
    role: 'admin',
    description: 'Until then, a generation that served before is fed with every new document, so that one could go back to it.',
    example: { parameters: { ...scope, generation: 'g1' } },
  },
  'GET /v1/exports/{scope}': {
    answer: 'ExportRecord',
    stream: 'application/x-ndjson',
    role: 'admin',
    description: 'First `export`, then for each document `document`, its upload in pieces (`bytes`), its chunks with their vectors (`chunk`) and `document-end`; at last `end`.',
    example: { parameters: scope },
  },
  'POST /v1/imports/{scope}': {
    answer: 'ImportBegun',
    role: 'admin',
    description: 'With the first line of an export. Tells whether its vectors can be taken as they are (`vectors`) or its documents are to be indexed anew (`re-embed`).',
    example: {
      parameters: { scope: 'team:people' },
      body: {
        'application/json': {
          export: {
            kind: 'export', format: 1, scope: 'team:people', embeddingVersion: 'openai:text-embedding-3-small/64', exportedAt: '2026-01-01T00:00:00.000Z', documents: 1,
            knowledgeBases: [{ id: 'onboarding', name: 'Onboarding', description: '', chunking: {}, status: 'active' }],
          },
          reembed: true,
        },
      },
    },
  },
  'POST /v1/imports/{scope}/documents': {
    answer: 'ImportResult',
    role: 'admin',
    description: 'Any number of documents in one request; each is told by itself. With `reembed`, their vectors are not needed.',
    example: {
      parameters: { scope: 'team:people', reembed: 'true' },
      body: {
        'application/x-ndjson': [
          {
            kind: 'document', knowledgeBase: 'onboarding', sourceId: 'first-day.txt', title: 'The first day', mediaType: 'text/plain', labels: {}, origin: 'UserContent',
            bytes: 32, checksum: 'f08c3292f30229db16c392b3e9d56a805ee319b0fca1d3db5be09f37cb38a380', upload: true,
          },
          { kind: 'bytes', data: 'VGhlIGZpcnN0IGRheTogY29tZSBhdCB0ZW4sIGVhdC4=' },
          { kind: 'document-end' },
        ],
      },
    },
  },
};
