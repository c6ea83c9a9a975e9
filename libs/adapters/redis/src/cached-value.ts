import { createHash } from 'node:crypto';
import type { Embedding } from '@palimpsest/knowledge/ports';

/** "PE", format 1. */
const MAGIC = Buffer.from([0x50, 0x45, 0x01]);
const HEAD_BYTES = MAGIC.length + 1 + 4 + 4;
const CHECKSUM_BYTES = 16;

/**
 * Magic, truncated (1 byte), tokens and dimensions (4 bytes each), the vector's floats, all little-endian, and a checksum over the
 * key and all of these: so a value copied to another key is invalid.
 */
export const encodeEmbedding = (key: string, { vector, tokens, truncated }: Embedding): Buffer => {
  const value = Buffer.alloc(HEAD_BYTES + 4 * vector.length + CHECKSUM_BYTES);
  MAGIC.copy(value);
  value.writeUInt8(truncated ? 1 : 0, MAGIC.length);
  value.writeUInt32LE(tokens, MAGIC.length + 1);
  value.writeUInt32LE(vector.length, MAGIC.length + 5);
  vector.forEach((component, i) => value.writeFloatLE(component, HEAD_BYTES + 4 * i));
  const content = value.subarray(0, -CHECKSUM_BYTES);
  checksum(key, content).copy(value, content.length);
  return value;
};

/** Undefined unless the value was written under exactly this key, with this many dimensions, and is unchanged. */
export const decodeEmbedding = (key: string, value: Buffer, dimensions: number): Embedding | undefined => {
  if (value.length !== HEAD_BYTES + 4 * dimensions + CHECKSUM_BYTES || !value.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  const content = value.subarray(0, -CHECKSUM_BYTES);
  if (!checksum(key, content).equals(value.subarray(content.length))) return undefined;
  if (content.readUInt32LE(MAGIC.length + 5) !== dimensions) return undefined;
  const vector = Float32Array.from({ length: dimensions }, (_, i) => content.readFloatLE(HEAD_BYTES + 4 * i));
  return { vector, tokens: content.readUInt32LE(MAGIC.length + 1), truncated: content.readUInt8(MAGIC.length) === 1 };
};

const checksum = (key: string, content: Buffer): Buffer =>
  createHash('sha256').update(key).update('\0').update(content).digest().subarray(0, CHECKSUM_BYTES);
