import { z } from 'zod';
import { wire } from '@palimpsest/contracts';
import { chunkingSettings } from '../chunking/chunking-settings.ts';
import { MAX_CHUNKS } from '../processing/max-chunks.ts';
import { wellFormed, wellFormedValues } from '../nest/well-formed.ts';

/**
 * A scope on its way between installations: lines of JSON. First `export`, then for each document one `document`, its bytes in
 * pieces (`bytes`), its chunks in the order of its text (`chunk`) and `document-end`; at last `end`. What is cut off is noticed.
 */
export const TRANSFER_FORMAT = 1;

/** Raw bytes in one `bytes` line. */
export const PIECE_BYTES = 192 * 1024;

export const exportHead = z.strictObject({
  kind: z.literal('export'),
  format: z.literal(TRANSFER_FORMAT),
  scope: wire.scope,
  /** Of the generation that served. */
  embeddingVersion: wire.embeddingVersion,
  exportedAt: wire.time,
  /** How many documents follow, at most: one that is deleted meanwhile is left out. */
  documents: wire.count,
  knowledgeBases: z
    .array(z.strictObject({ id: wire.knowledgeBaseId, name: wellFormed(z.string().min(1).max(200)), description: wellFormed(z.string().max(2_000)), chunking: z.unknown().transform(chunkingSettings), status: z.enum(['active', 'archived']) }))
    .max(10_000),
});
export type ExportHead = Readonly<z.output<typeof exportHead>>;

/** Texts are taken as they were exported: what their installation had accepted. */
const text = z.string();

const indexed = z.strictObject({
  title: text,
  mediaType: text,
  language: text,
  fingerprint: wire.sha256,
  chunkingVersion: wire.chunkingVersion,
  metadata: wire.strings,
  failedChunks: wire.count,
  warnings: z.array(text),
  /** How many `chunk` lines follow. */
  chunks: z.int().min(1).max(MAX_CHUNKS),
});

export const documentRecord = z.strictObject({
  kind: z.literal('document'),
  knowledgeBase: wire.knowledgeBaseId,
  sourceId: wire.sourceId,
  title: wellFormed(z.string()).exactOptional(),
  fileName: wellFormed(z.string()).exactOptional(),
  mediaType: wellFormed(z.string()).exactOptional(),
  labels: wellFormedValues(wire.labels),
  origin: wire.origin,
  bytes: wire.count,
  checksum: wire.sha256,
  /** False when its installation had lost the upload: then no `bytes` follow. */
  upload: z.boolean(),
  /** Missing of a document that was never indexed: it is handed in anew. */
  indexed: indexed.exactOptional(),
});
export type DocumentRecord = Readonly<z.output<typeof documentRecord>>;

export const chunkRecord = z.strictObject({
  kind: z.literal('chunk'),
  start: wire.count,
  end: wire.count,
  fromLine: wire.ordinal,
  toLine: wire.ordinal,
  page: wire.ordinal.exactOptional(),
  index: wire.count,
  of: wire.ordinal,
  text,
  contextPrefix: text,
  headings: z.array(text),
  language: text,
  symbol: text.exactOptional(),
  tokens: wire.count,
  truncated: z.boolean(),
  /** Little-endian float32, base64. */
  vector: wire.base64,
  /** Those of the further windows of a text that was too long for one. */
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
