import type { ModelFingerprint } from '@palimpsest/knowledge/models';
import { fromBase64, toBase64 } from './sealing.ts';

/** The largest number of a signed byte. */
const LARGEST = 127;

/** A byte for each dimension, so that the event is small. The cosine of a vector and its bytes is about 0.9998. */
export const fingerprintOf = (vectors: readonly Float32Array[]): ModelFingerprint =>
  vectors.map((vector) => {
    const max = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const bytes = Int8Array.from(vector, (value) => Math.round((value / (max || 1)) * LARGEST));
    return toBase64(new Uint8Array(bytes.buffer));
  });

/** The cosine of a vector and that of the same text in a fingerprint; 0 if their dimensions differ. */
export const similarityTo = (recorded: string | undefined, vector: Float32Array | undefined): number => {
  const bytes = Int8Array.from(fromBase64(recorded ?? ''), (byte) => (byte << 24) >> 24);
  if (vector === undefined || bytes.length !== vector.length) return 0;
  let [product, ofBytes, ofVector] = [0, 0, 0];
  for (const [i, value] of vector.entries()) {
    const byte = bytes[i] ?? 0;
    product += byte * value;
    ofBytes += byte * byte;
    ofVector += value * value;
  }
  return ofBytes === 0 || ofVector === 0 ? 0 : product / Math.sqrt(ofBytes * ofVector);
};

/** The lowest similarity of any canary string. */
export const lowestSimilarity = (fingerprint: ModelFingerprint, vectors: readonly Float32Array[]): number =>
  fingerprint.reduce((lowest, recorded, i) => Math.min(lowest, similarityTo(recorded, vectors[i])), 1);
