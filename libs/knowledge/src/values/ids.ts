import { InvalidValue } from '../errors.ts';
import type { Branded } from './brand.ts';
import { LENGTHS, PATTERNS } from './value-limits.ts';

/**
 * 32 hexadecimal digits, derived from knowledge base and source under the key of the scope: the same source always has the same document
 * id, and no one else can tell the source from it.
 */
export type DocumentId = Branded<string, 'DocumentId'>;
/** 32 hexadecimal digits, derived from document, content hash (a keyed digest) and occurrence: an unchanged chunk keeps its id when it moves. */
export type ChunkId = Branded<string, 'ChunkId'>;
/** A name chosen by the user: lower-case letters, digits, "-", "_", "."; 1-64 characters. Unique within the tenant. */
export type KnowledgeBaseId = Branded<string, 'KnowledgeBaseId'>;
/** SHA-256, or HMAC-SHA-256 under the key of a scope: 64 lower-case hexadecimal digits. */
export type Digest = Branded<string, 'Digest'>;
/** The origin of a document as the user names it (path, URL, key), without control characters. */
export type SourceId = Branded<string, 'SourceId'>;

const matching =
  <Kind extends string>(kind: string, format: RegExp, expected: string) =>
  (raw: unknown, field = kind): Branded<string, Kind> => {
    if (typeof raw !== 'string' || !format.test(raw)) throw new InvalidValue(field, expected, raw);
    return raw as Branded<string, Kind>;
  };

const HEX_32 = new RegExp(PATTERNS.documentId);

/** @throws InvalidValue */
export const documentId = matching<'DocumentId'>('documentId', HEX_32, '32 hexadecimal digits');
/** @throws InvalidValue */
export const chunkId = matching<'ChunkId'>('chunkId', HEX_32, '32 hexadecimal digits');
/** @throws InvalidValue */
export const sha256 = matching<'Digest'>('checksum', /^[0-9a-f]{64}$/, '64 hexadecimal digits');
/** @throws InvalidValue */
export const knowledgeBaseId = matching<'KnowledgeBaseId'>(
  'knowledgeBase',
  new RegExp(PATTERNS.knowledgeBaseId),
  `1-${LENGTHS.knowledgeBaseId} characters of a-z, 0-9, "-", "_", ".", starting and ending with a letter or digit`,
);
/** @throws InvalidValue */
export const sourceId = matching<'SourceId'>(
  'sourceId',
  new RegExp(`^[^\\u0000-\\u001f\\u007f\\ud800-\\udfff]{1,${LENGTHS.sourceId}}$`, 'u'),
  `1-${LENGTHS.sourceId} characters without control characters`,
);
