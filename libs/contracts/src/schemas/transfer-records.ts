import { z } from 'zod';
import { chunkingSettings } from './chunking-schema.ts';
import { MAX_CHUNKS } from './max-chunks.ts';
import { wire } from './values.ts';
import { wellFormedValues } from './well-formed.ts';

/**
 * The format in which a scope moves between installations: lines of JSON. First `export`, then for each document one `document`, its
 * bytes in pieces (`bytes`), its chunks in text order (`chunk`) and `document-end`; finally `end`. Truncated exports are detected.
 */
export const TRANSFER_FORMAT = 1;

/** Raw bytes in one `bytes` line. */
export const PIECE_BYTES = 192 * 1024;

/** Format of exports that only an installation with the key of the scope can read. */
export const SEALED_FORMAT = 2;

export const exportHead = z.strictObject({
  kind: z.literal('export'),
  format: z.literal(TRANSFER_FORMAT),
  scope: wire.scope,
  /** Embedding version of the active generation. */
  embeddingVersion: wire.embeddingVersion,
  exportedAt: wire.time,
  /** Maximum number of documents that follow: documents that are deleted meanwhile are left out. */
  documents: wire.count,
  knowledgeBases: z
    .array(
      z.strictObject({
        id: wire.knowledgeBaseId,
        name: wire.knowledgeBaseName,
        description: wire.knowledgeBaseDescription,
        chunking: z.unknown().transform(chunkingSettings),
        language: wire.language.exactOptional(),
        status: z.enum(['active', 'archived']),
      }),
    )
    .max(10_000)
    .refine((bases) => new Set(bases.map(({ id }) => id)).size === bases.length, 'expected each knowledge base once'),
});
export type ExportHead = Readonly<z.output<typeof exportHead>>;

/**
 * The first line of a sealed export. `sealed`: the head that a portable export has, with the names of knowledge bases. Lines of documents
 * follow, each with the number of its document and its number in the document, both from 0; then `end`.
 */
export const sealedHead = z.strictObject({
  kind: z.literal('sealed-export'),
  format: z.literal(SEALED_FORMAT),
  scope: wire.scope,
  exportId: z.uuid(),
  embeddingVersion: wire.embeddingVersion,
  exportedAt: wire.time,
  documents: wire.count,
  sealed: wire.base64,
});
export type SealedHead = Readonly<z.output<typeof sealedHead>>;

export const sealedLine = z.strictObject({
  kind: z.literal('sealed'),
  document: wire.count,
  line: wire.count,
  last: z.boolean(),
  data: wire.base64,
});
export type SealedLine = Readonly<z.output<typeof sealedLine>>;

/** At least the limits of submissions, parsers and chunkers: whatever they produce can be imported. */
const MAX_WARNINGS = 5_000;
const MAX_METADATA = 200;
const MAX_HEADINGS = 100;
const MAX_TOKENS = 10_000_000;

const metadata = z
  .record(wire.remark, wire.remark)
  .refine((values) => Object.keys(values).length <= MAX_METADATA, `expected at most ${MAX_METADATA} values`);

const indexed = z.strictObject({
  title: wire.shownTitle,
  mediaType: wire.mediaType,
  language: wire.language,
  fingerprint: wire.sha256,
  chunkingVersion: wire.chunkingVersion,
  metadata,
  failedChunks: wire.count.max(MAX_CHUNKS),
  warnings: z.array(wire.remark).max(MAX_WARNINGS),
  /** Number of `chunk` lines that follow. */
  chunks: z.int().min(1).max(MAX_CHUNKS),
});

export const documentRecord = z.strictObject({
  kind: z.literal('document'),
  knowledgeBase: wire.knowledgeBaseId,
  sourceId: wire.sourceId,
  title: wire.title.exactOptional(),
  fileName: wire.fileName.exactOptional(),
  mediaType: wire.mediaType.exactOptional(),
  labels: wellFormedValues(wire.labels),
  origin: wire.origin,
  subject: wire.subjectId.exactOptional(),
  bytes: wire.ordinal,
  checksum: wire.sha256,
  /** False if the exporting installation had lost the upload. Then no `bytes` follow. */
  upload: z.boolean(),
  /** Missing if the document was never indexed. It is then submitted again. */
  indexed: indexed.exactOptional(),
});
export type DocumentRecord = Readonly<z.output<typeof documentRecord>>;

const chunkRecord = z.strictObject({
  kind: z.literal('chunk'),
  start: wire.count,
  end: wire.count,
  fromLine: wire.ordinal,
  toLine: wire.ordinal,
  page: wire.ordinal.exactOptional(),
  index: wire.count.max(MAX_CHUNKS - 1),
  of: wire.ordinal.max(MAX_CHUNKS),
  text: wire.chunkText,
  contextPrefix: wire.remark,
  headings: z.array(wire.remark).max(MAX_HEADINGS),
  language: wire.language,
  symbol: wire.remark.exactOptional(),
  tokens: wire.count.max(MAX_TOKENS),
  truncated: z.boolean(),
  /** Little-endian float32, base64. */
  vector: wire.base64,
  /** Vectors of the further windows of a text that was too long for one window. */
  furtherVectors: z.array(wire.base64).min(1).exactOptional(),
  embeddingVersion: wire.embeddingVersion,
});
export type ChunkRecord = Readonly<z.output<typeof chunkRecord>>;

export const transferRecord = z.discriminatedUnion('kind', [
  documentRecord,
  z.strictObject({ kind: z.literal('bytes'), data: wire.base64 }),
  chunkRecord,
  z.strictObject({ kind: z.literal('document-end') }),
]);
export type TransferRecord = Readonly<z.output<typeof transferRecord>>;

/** Ends an export. */
export type ExportEnd = Readonly<{ kind: 'end'; documents: number; chunks: number }>;
