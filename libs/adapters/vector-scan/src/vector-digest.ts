import { createHash } from 'node:crypto';

// Imports nothing of ours, so that whatever compares an index with the log can compute the very same.

/** JSON with its keys in the order of their UTF-16 code units: equal records have equal JSON. */
export const canonicalAttributes = (attributes: Readonly<Record<string, string | number | boolean>>): string =>
  `{${Object.keys(attributes)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${JSON.stringify(attributes[name])}`)
    .join(',')}}`;

/** SHA-256 (64 hexadecimal digits) over: chunk id | dimensions, u32 | little-endian float32 values | canonical attributes. */
export const vectorDigest = (
  put: Readonly<{ chunkId: string; vector: Float32Array; attributes: Readonly<Record<string, string | number | boolean>> }>,
): string => {
  const values = new DataView(new ArrayBuffer(4 + 4 * put.vector.length));
  values.setUint32(0, put.vector.length, true);
  put.vector.forEach((value, i) => values.setFloat32(4 + 4 * i, value, true));
  return createHash('sha256').update(put.chunkId).update(values).update(canonicalAttributes(put.attributes)).digest('hex');
};
