import { createHash } from 'node:crypto';
import { endianness } from 'node:os';
import type { Attributes } from '@palimpsest/knowledge/access';
import type { LexicalPut, VectorPut } from '@palimpsest/knowledge/read-models';
import type { LexicalFields } from '@palimpsest/knowledge/texts';

// Digests of index entries. Every index returns the same digests, and `verify` computes them again from the log.

/** All chunks of a document share one record, whose JSON is needed several times for each. */
const cached = new WeakMap<Attributes, string>();

/** JSON with its keys in the order of their UTF-16 code units: equal records have equal JSON. The record must not change afterwards. */
export const canonicalAttributes = (attributes: Attributes): string => {
  const known = cached.get(attributes);
  if (known !== undefined) return known;
  const fields = Object.keys(attributes)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${JSON.stringify(attributes[name])}`);
  const json = `{${fields.join(',')}}`;
  cached.set(attributes, json);
  return json;
};

/** SHA-256 (64 hexadecimal digits) over: chunk id | dimensions, u32 | little-endian float32 values of all vectors | canonical attributes. */
export const vectorDigest = ({ chunkId, vector, further = [], attributes }: Omit<VectorPut, 'write'>): string => {
  const dimensions = Buffer.alloc(4);
  dimensions.writeUInt32LE(vector.length);
  const hash = createHash('sha256').update(chunkId).update(dimensions);
  for (const one of [vector, ...further]) hash.update(littleEndian(one));
  return hash.update(canonicalAttributes(attributes)).digest('hex');
};

const littleEndian = (vector: Float32Array): Uint8Array => {
  const values = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
  return endianness() === 'LE' ? values : Buffer.from(values).swap32();
};

/**
 * SHA-256 (64 hexadecimal digits) over id, text, language, fields (if there are any) and canonical attributes. The parts are JSON, so that
 * different parts never give the same input.
 */
export const lexicalDigest = ({ attributes, ...put }: Omit<LexicalPut, 'write'>): string =>
  lexicalDigestOf(put, canonicalAttributes(attributes));

/** The same digest from canonical attributes. */
export const lexicalDigestOf = (
  { chunkId, text, language, fields }: Pick<LexicalPut, 'chunkId' | 'text' | 'language' | 'fields'>,
  attributes: string,
): string => {
  const parts = [chunkId, text, language, ...(fields === undefined ? [] : [fieldsOf(fields)])];
  return createHash('sha256')
    .update(`[${parts.map((part) => JSON.stringify(part)).join(',')},${attributes}]`)
    .digest('hex');
};

/** In a fixed order. */
const fieldsOf = ({ title, metadata, symbol }: LexicalFields) => [title ?? null, metadata ?? null, symbol ?? null];
