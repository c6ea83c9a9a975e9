import { createHash } from 'node:crypto';
import { endianness } from 'node:os';
import type { VectorPut } from '@palimpsest/knowledge';
import { canonicalAttributes } from '../partitions/attribute-payload.ts';

/**
 * SHA-256 (64 hexadecimal digits) over: chunk id | dimensions, u32 | little-endian float32 values | canonical attributes.
 * The same definition as `vectorDigest` of libs/adapters/vector-scan, so that `verify` finds the same fingerprint on both.
 */
export const vectorDigestQdrant = ({ chunkId, vector, attributes }: Omit<VectorPut, 'write'>): string => {
  const dimensions = Buffer.alloc(4);
  dimensions.writeUInt32LE(vector.length);
  const values = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
  const littleEndian = endianness() === 'LE' ? values : Buffer.from(values).swap32();
  return createHash('sha256').update(chunkId).update(dimensions).update(littleEndian).update(canonicalAttributes(attributes)).digest('hex');
};
