import type { OperationNotes } from './operation-note.ts';

const scope = { scope: 'deployment' };
const letter = { id: '1' };

export const OPERATION_NOTES: OperationNotes = {
  'GET /v1/status': { answer: 'StatusView', description: 'Counts are those of the caller’s tenant, for an operator those of the installation. Scopes are those that the caller may read.' },
  'GET /v1/overview': { answer: 'OverviewView', description: 'The data of the console’s overview page. Figures are those of the process that responds; it keeps them in memory only.' },
  'GET /v1/dead-letters': { answer: 'DeadLetterList', role: 'operator', description: 'Returns the failed jobs of all tenants, with ids and never with contents.', example: { parameters: { limit: 10 } } },
  'POST /v1/dead-letters/{id}/retry': { answer: 'DeadLetterQueued', role: 'operator', description: 'Use it after the cause was fixed. A job that fails again becomes a dead letter again.', example: { parameters: letter } },
  'DELETE /v1/dead-letters/{id}': { answer: 'nothing', role: 'operator', description: 'Discarding cannot be undone. The document itself can be retried with `POST /v1/documents/{id}/retry`.', example: { parameters: { id: '2' } } },
  'POST /v1/admin/rebuild': { answer: 'RebuildResult', role: 'operator', description: 'Responds when the rebuild is complete. It does not call the embedding model: vectors are read from the event log. Searches are served meanwhile, except by query services, whose read models are emptied first.' },
  'POST /v1/admin/verify': { answer: 'VerifyResult', role: 'operator', description: 'Responds when the comparison is complete; writes continue during it. A `fingerprint` is the same wherever the same events were projected.' },
  'POST /v1/scopes/{scope}/reembed': {
    answer: 'ReembedStarted',
    role: 'admin',
    description: 'Searches use the vectors of the old model until every chunk has a vector of the new model. If the scope already uses the current model, nothing is done and the active generation is returned.',
    example: { parameters: scope },
  },
  'GET /v1/scopes/{scope}/reembed': { answer: 'ReembedProgress', description: 'Returns the generation that is being built, otherwise the active one.', example: { parameters: scope } },
  'POST /v1/scopes/{scope}/generations/{generation}/retire': {
    answer: 'GenerationRetired',
    role: 'admin',
    description: 'Until it is retired, a formerly active generation receives every new document, so that it can be activated again.',
    example: { parameters: { ...scope, generation: 'g1' } },
  },
  'GET /v1/exports/{scope}': {
    answer: 'ExportRecord',
    stream: 'application/x-ndjson',
    role: 'admin',
    description: 'The first line is `export`. For each document follow `document`, its upload in pieces (`bytes`), its chunks with their vectors (`chunk`) and `document-end`. The last line is `end`. Unless `portable` is set, the first line is `sealed-export`, and the lines of documents are `sealed` under the key of the scope: only this installation can import them, and no one once the scope was erased.',
    example: { parameters: { ...scope, portable: 'true' } },
  },
  'POST /v1/imports/{scope}': {
    answer: 'ImportBegun',
    role: 'admin',
    description: 'Send the first line of an export, portable or sealed. The response says whether its vectors can be used (`vectors`) or its documents will be indexed again (`re-embed`).',
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
    description: 'One request can hold any number of documents; the response has a result for each. With `reembed`, vectors are not required.',
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
