import type { Attributes } from '@palimpsest/knowledge/access';
import type { IndexRemoval, VectorIndex, VectorPut } from '@palimpsest/knowledge/read-models';
import { aChunk, type IndexUnderTest } from './index-fixture.ts';

export type VectorIndexUnderTest = IndexUnderTest<VectorIndex>;

export type VectorWrite = VectorPut | IndexRemoval;

/** Sixteen values of ±1/4 from the bits of `pattern`: the length is exactly 1, and dot products are exact in float32 in any order. */
export const exactVector = (pattern: number): Float32Array =>
  Float32Array.from({ length: 16 }, (_, i) => ((pattern >> i) & 1 ? 0.25 : -0.25));

/** Any numbers as a vector of length 1; all zeros become the first axis. */
export const unitVector = (values: readonly number[]): Float32Array => {
  const length = Math.hypot(...values);
  return Float32Array.from(values, (value, i) => (length > 1e-6 ? value / length : i === 0 ? 1 : 0));
};

export const put = (
  number: number,
  vector: Float32Array,
  attributes: Attributes = {},
  further: readonly Float32Array[] = [],
): VectorPut => ({
  write: 'put',
  chunkId: aChunk(number),
  vector,
  attributes,
  ...(further.length === 0 ? {} : { further }),
});
