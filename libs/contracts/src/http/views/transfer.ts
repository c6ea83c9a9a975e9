import { z } from 'zod';
import { list, named, part, view } from '../view.ts';
import { labels, origin, position } from './documents.ts';

export const exportHead = view(
  'ExportHead',
  {
    kind: z.literal('export'),
    format: z.number(),
    scope: z.string(),
    embeddingVersion: z.string().describe('Embedding version of the vectors in the export.'),
    exportedAt: z.string(),
    documents: z.number().describe('Maximum number of documents that follow.'),
    knowledgeBases: list(
      part({
        id: z.string(),
        name: z.string(),
        description: z.string(),
        chunking: z.unknown(),
        language: z.string().exactOptional(),
        status: z.enum(['active', 'archived']),
      }),
    ),
  },
  'The first line of an export. Each document follows as `document`, `bytes` (pieces of its upload), `chunk` and `document-end` lines.',
);
export type ExportHead = z.infer<typeof exportHead>;

export const sealedExportHead = view(
  'SealedExportHead',
  {
    kind: z.literal('sealed-export'),
    format: z.number(),
    scope: z.string(),
    exportId: z.string(),
    embeddingVersion: z.string(),
    exportedAt: z.string(),
    documents: z.number().describe('Maximum number of documents that follow.'),
    sealed: z.string(),
  },
  'The first line of a sealed export. `sealed` contains the head with the knowledge bases. The lines of documents are `sealed` lines, and can be read only with the key of the scope.',
);
export type SealedExportHead = z.infer<typeof sealedExportHead>;

const sealedExportLine = view(
  'SealedExportLine',
  {
    kind: z.literal('sealed'),
    document: z.number(),
    line: z.number(),
    last: z.boolean(),
    data: z.string(),
  },
  'A sealed line of a document. `document` and `line` count from 0; `last`: the document ends with it.',
);
export type SealedExportLine = z.infer<typeof sealedExportLine>;

const exportEnd = view(
  'ExportEnd',
  { kind: z.literal('end'), documents: z.number(), chunks: z.number() },
  'The last line. Without it, the export is incomplete.',
);
export type ExportEnd = z.infer<typeof exportEnd>;

const exportedDocument = view(
  'ExportedDocument',
  {
    kind: z.literal('document'),
    knowledgeBase: z.string(),
    sourceId: z.string(),
    title: z.string().exactOptional(),
    fileName: z.string().exactOptional(),
    mediaType: z.string().exactOptional(),
    labels,
    origin,
    subject: z.string().describe('The person whom the document is about.').exactOptional(),
    bytes: z.number().describe('Size of the upload.'),
    checksum: z.string(),
    upload: z.boolean().describe('False if the exporting installation had lost the upload. Then no `bytes` lines follow.'),
    indexed: part({
      title: z.string(),
      mediaType: z.string(),
      language: z.string(),
      fingerprint: z.string(),
      chunkingVersion: z.string(),
      metadata: z.record(z.string(), z.string()).readonly(),
      failedChunks: z.number(),
      warnings: list(z.string()),
      chunks: z.number().describe('Number of `chunk` lines that follow.'),
    }).exactOptional(),
  },
  'The first line of a document. Without `indexed`, the document was never indexed: it has no chunks, and the import submits it again.',
);
export type ExportedDocument = z.infer<typeof exportedDocument>;

const exportedBytes = view('ExportedBytes', { kind: z.literal('bytes'), data: z.string() }, 'A piece of the upload, base64.');
export type ExportedBytes = z.infer<typeof exportedBytes>;

const exportedChunk = view('ExportedChunk', {
  kind: z.literal('chunk'),
  start: z.number(),
  end: z.number(),
  fromLine: z.number(),
  toLine: z.number(),
  page: z.number().exactOptional(),
  index: z.number(),
  of: z.number(),
  text: z.string(),
  contextPrefix: z.string(),
  headings: list(z.string()),
  language: z.string(),
  symbol: z.string().exactOptional(),
  tokens: z.number(),
  truncated: z.boolean(),
  vector: z.string().describe('Little-endian float32, base64.'),
  furtherVectors: list(z.string()).describe('Vectors of the further windows, if the text was too long for one.').exactOptional(),
  embeddingVersion: z.string(),
});
export type ExportedChunk = z.infer<typeof exportedChunk>;

const exportedDocumentEnd = view('ExportedDocumentEnd', { kind: z.literal('document-end') });
export type ExportedDocumentEnd = z.infer<typeof exportedDocumentEnd>;

export const exportRecord = named(
  'ExportRecord',
  z.union([exportHead, sealedExportHead, sealedExportLine, exportedDocument, exportedBytes, exportedChunk, exportedDocumentEnd, exportEnd]),
  'A line of an export.',
);
export type ExportRecord = z.infer<typeof exportRecord>;

export const importBegun = view(
  'ImportBegun',
  {
    scope: z.string(),
    embeddingVersion: z.string(),
    mode: z.enum(['vectors', 're-embed']),
    knowledgeBases: list(part({ id: z.string(), status: z.enum(['made', 'found']) })),
  },
  '`vectors`: the exported vectors are used. `re-embed`: the documents are submitted again.',
);
export type ImportBegun = z.infer<typeof importBegun>;

const importedSource = { documentId: z.string(), sourceId: z.string(), knowledgeBase: z.string() };

export const importedDocument = named(
  'ImportedDocument',
  z.union([
    part({ ...importedSource, status: z.enum(['imported', 'accepted', 'unchanged', 'kept']), version: z.number() }),
    part({ ...importedSource, status: z.literal('rejected'), error: part({ code: z.string(), detail: z.string() }) }),
  ]),
  'The result for one document. `imported`: with its chunks and vectors. `accepted`: it waits to be indexed here. `unchanged`: it exists with the same content. `kept`: it exists with other content, which was not changed.',
);
export type ImportedDocument = z.infer<typeof importedDocument>;

export const importResult = view('ImportResult', { documents: list(importedDocument), position });
export type ImportResult = z.infer<typeof importResult>;
