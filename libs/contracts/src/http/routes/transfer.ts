import { z } from 'zod';
import { exportHead, sealedHead } from '../../schemas/transfer-records.ts';
import { wire } from '../../schemas/values.ts';
import { flag } from '../query-params.ts';
import { largeJson, lines, route } from '../route.ts';
import { exportRecord, importBegun, importResult } from '../views/transfer.ts';

const params = z.object({ scope: wire.scope });
const rename = z.array(z.string().max(200)).max(1_000);

export const exportScope = route({
  id: 'Transfer.export',
  method: 'get',
  path: '/v1/exports/{scope}',
  service: 'ingestion',
  tag: 'Operation',
  summary:
    'Export a scope with its documents, uploads, texts and vectors, as lines of JSON, sealed under the key of the scope unless `portable`; the export is incomplete without the last line, `end`',
  description:
    'The first line is `export`. For each document follow `document`, its upload in pieces (`bytes`), its chunks with their vectors (`chunk`) and `document-end`. The last line is `end`. Unless `portable` is set, the first line is `sealed-export`, and the lines of documents are `sealed` under the key of the scope: only this installation can import them, and no one once the scope was erased.',
  role: 'admin',
  administration: true,
  params,
  query: z.strictObject({
    portable: flag(
      'for another installation: do not seal the lines under the key of the scope. Everyone who has them can read them, also after the scope was erased',
    ),
  }),
  status: 200,
  stream: 'application/x-ndjson',
  response: exportRecord,
  example: { parameters: { scope: 'deployment', portable: 'true' } },
});

export const beginImport = route({
  id: 'Transfer.begin',
  method: 'post',
  path: '/v1/imports/{scope}',
  service: 'ingestion',
  tag: 'Operation',
  summary: 'Begin an import: check that the export fits, then create the scope and its knowledge bases; documents follow',
  description:
    'Send the first line of an export, portable or sealed. The response says whether its vectors can be used (`vectors`) or its documents will be indexed again (`re-embed`).',
  role: 'admin',
  administration: true,
  rate: 'writes',
  idempotent: true,
  params,
  body: largeJson(
    z.strictObject({
      export: z.discriminatedUnion('kind', [exportHead, sealedHead]),
      reembed: z.boolean().default(false),
      rename: rename.default([]).describe('of a sealed export: knowledge bases to import under another id, as `<old>=<new>`'),
    }),
  ),
  status: 200,
  response: importBegun,
  problems: ['Conflict', 'EmbeddingModelMismatch', 'QuotaExceeded'],
  example: {
    parameters: { scope: 'team:people' },
    body: {
      'application/json': {
        export: {
          kind: 'export',
          format: 1,
          scope: 'team:people',
          embeddingVersion: 'openai:text-embedding-3-small/64',
          exportedAt: '2026-01-01T00:00:00.000Z',
          documents: 1,
          knowledgeBases: [{ id: 'onboarding', name: 'Onboarding', description: '', chunking: {}, status: 'active' }],
        },
        reembed: true,
      },
    },
  },
});

export const importDocuments = route({
  id: 'Transfer.documents',
  method: 'post',
  path: '/v1/imports/{scope}/documents',
  service: 'ingestion',
  tag: 'Operation',
  summary: 'Import documents: lines of an export, from a `document` to its `document-end`, for any number of documents',
  description:
    'One request can hold any number of documents; the response has a result for each. With `reembed`, vectors are not required.',
  role: 'admin',
  administration: true,
  rate: 'writes',
  idempotent: true,
  params,
  query: z.strictObject({
    exportId: z.uuid().exactOptional().describe('of a sealed export: its id, from its first line'),
    exportScope: wire.scope.exactOptional().describe('of a sealed export: its scope; default: the scope of the import'),
    rename: rename
      .exactOptional()
      .describe('of a sealed export: a knowledge base to import under another id, as `<old>=<new>`; may be repeated'),
    embeddingVersion: wire.embeddingVersion
      .exactOptional()
      .describe('embedding version of the imported vectors; required unless `reembed` is true'),
    reembed: flag('submit the documents again and embed them here instead of importing their vectors'),
    overwrite: flag('replace existing documents that have other content'),
  }),
  body: lines(exportRecord),
  status: 200,
  response: importResult,
  problems: ['EmbeddingModelMismatch', 'UnsupportedMediaType'],
  example: {
    parameters: { scope: 'team:people', reembed: 'true' },
    body: {
      'application/x-ndjson': [
        {
          kind: 'document',
          knowledgeBase: 'onboarding',
          sourceId: 'first-day.txt',
          title: 'The first day',
          mediaType: 'text/plain',
          labels: {},
          origin: 'UserContent',
          bytes: 32,
          checksum: 'f08c3292f30229db16c392b3e9d56a805ee319b0fca1d3db5be09f37cb38a380',
          upload: true,
        },
        { kind: 'bytes', data: 'VGhlIGZpcnN0IGRheTogY29tZSBhdCB0ZW4sIGVhdC4=' },
        { kind: 'document-end' },
      ],
    },
  },
});
