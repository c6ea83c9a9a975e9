import { z } from 'zod';
import { fieldsOf, list, named, part, view } from '../view.ts';

export const position = named(
  'Position',
  z.string(),
  'A position on the event log, as a decimal string. A write returns one; a search can require that results are at least as new.',
);
export type Position = z.infer<typeof position>;

export const lookedBack = view(
  'LookedBack',
  {
    position: position.describe('The response shows what the platform would have returned at this position.'),
    time: z.string().describe('The requested time, if `asOf` was one: `position` is that of the last event until then.').exactOptional(),
    notYet: list(part({ kind: z.enum(['scope', 'knowledgeBase']), id: z.string(), detail: z.string() })).describe(
      'What the request covers and what did not exist yet, each with a sentence.',
    ),
  },
  'The moment that a response with `asOf` shows.',
);
export type LookedBack = z.infer<typeof lookedBack>;
const asOf = lookedBack.describe('Only for a request with `asOf`.').exactOptional();

export const documentStatus = named('DocumentStatus', z.enum(['pending', 'processing', 'indexed', 'failed']));
export type DocumentStatus = z.infer<typeof documentStatus>;

export const origin = named('Origin', z.enum(['UserContent', 'Narrative', 'Note', 'Synthetic']));
export type Origin = z.infer<typeof origin>;

export const labels = named('Labels', z.record(z.string(), z.string()).readonly());
export type Labels = z.infer<typeof labels>;

export const documentView = view(
  'DocumentView',
  {
    documentId: z.string(),
    knowledgeBase: z.string(),
    scope: z.string(),
    sourceId: z.string(),
    title: z.string(),
    status: documentStatus,
    version: z.number().describe('The latest submitted version, from 1.'),
    indexedVersion: z.number().describe('The version that searches return. Missing until the first version is indexed.').exactOptional(),
    reason: z.string().describe('Why processing failed: a stable code. `detail` explains it in a sentence.').exactOptional(),
    detail: z.string().exactOptional(),
    mediaType: z.string(),
    bytes: z.number(),
    chunks: z.number(),
    failedChunks: z.number().describe('Parts of the text that the embedding model refused and that no search finds.'),
    withoutVector: z.number().describe('How many of `chunks` the current embedding model refused: only lexical search finds them.'),
    language: z.string(),
    labels,
    origin,
    warnings: list(z.string()),
    submittedAt: z.string(),
    indexedAt: z.string().exactOptional(),
  },
  'The current state of a document. Times are ISO 8601 in UTC, sizes are in bytes.',
);
export type DocumentView = z.infer<typeof documentView>;

const documentVersion = view('DocumentVersion', {
  version: z.number(),
  status: z.string(),
  submittedAt: z.string(),
  finishedAt: z.string().exactOptional(),
  checksum: z.string(),
  bytes: z.number(),
  chunks: z.number().exactOptional(),
  reason: z.string().exactOptional(),
});
export type DocumentVersion = z.infer<typeof documentVersion>;

export const documentDetails = view('DocumentDetails', { ...fieldsOf(documentView), versions: list(documentVersion), asOf });
export type DocumentDetails = z.infer<typeof documentDetails>;

export const chunkView = view(
  'ChunkView',
  {
    chunkId: z.string(),
    index: z.number(),
    of: z.number(),
    text: z.string(),
    contextPrefix: z.string(),
    headings: list(z.string()),
    start: z.number(),
    end: z.number(),
    fromLine: z.number(),
    toLine: z.number(),
    page: z.number().exactOptional(),
    symbol: z.string().describe('For source code: the symbol that the chunk defines.').exactOptional(),
    language: z.string(),
  },
  "`start` and `end` are offsets into the document's text; `fromLine` and `toLine` are line numbers, from 1.",
);
export type ChunkView = z.infer<typeof chunkView>;

export const submission = named(
  'Submission',
  z.union([
    part({ status: z.literal('accepted'), sourceId: z.string(), documentId: z.string(), version: z.number() }),
    part({
      status: z.literal('skipped'),
      sourceId: z.string(),
      documentId: z.string(),
      version: z.number(),
      error: part({ code: z.string(), detail: z.string() }).exactOptional(),
    }),
    part({
      status: z.literal('rejected'),
      sourceId: z.string(),
      error: part({ code: z.string(), detail: z.string() }),
    }),
  ]),
  'The status of one submitted file. `skipped`: the document already has exactly this content, or, with an `error`, this content failed to be read before.',
);
export type Submission = z.infer<typeof submission>;

export const submissionResult = view('SubmissionResult', { documents: list(submission), position });
export type SubmissionResult = z.infer<typeof submissionResult>;

export const documentDeleted = view(
  'DocumentDeleted',
  { documentId: z.string(), position },
  '`position`: position of the deletion event. No search returns the document any more.',
);
export type DocumentDeleted = z.infer<typeof documentDeleted>;

const selectedDocument = view('SelectedDocument', {
  documentId: z.string(),
  knowledgeBase: z.string(),
  scope: z.string(),
  sourceId: z.string(),
  title: z.string(),
  version: z.number(),
});
export type SelectedDocument = z.infer<typeof selectedDocument>;

export const documentsDeleted = view(
  'DocumentsDeleted',
  {
    matching: z.number().describe('Documents that matched when they were selected.'),
    deleted: z.number(),
    changed: z.number().describe('Documents that were changed after they were selected, and are kept.'),
    remaining: z.number().describe('Documents that matched and that this request did not come to: send it again.'),
    documents: list(selectedDocument).describe('The first of the documents that matched, sorted by source.'),
    position: position.describe('Position of the last deletion; without one, that of the lists that the documents were selected from.'),
  },
  'With `dryRun`, `deleted` is 0 and `remaining` is `matching`.',
);
export type DocumentsDeleted = z.infer<typeof documentsDeleted>;

export const documentPage = view(
  'DocumentPage',
  { documents: list(documentView), next: z.string().exactOptional(), total: z.number().exactOptional(), asOf },
  '`total`: number of documents on all pages, if the filter asks for it.',
);
export type DocumentPage = z.infer<typeof documentPage>;

export const chunkPage = view('ChunkPage', { chunks: list(chunkView), next: z.string().exactOptional(), asOf });
export type ChunkPage = z.infer<typeof chunkPage>;
