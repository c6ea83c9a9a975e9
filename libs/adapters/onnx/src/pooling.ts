/**
 * Combines the model's token vectors into one unit vector.
 *
 * @param tokenVectors row by row, `tokens` × `width`
 * @returns a vector of `width` numbers with length 1, or undefined if the model's output cannot be scaled (zeros, NaN)
 */
export const unitVector = (
  tokenVectors: Float32Array,
  tokens: number,
  width: number,
  pooling: 'mean' | 'cls' | 'last',
): Float32Array<ArrayBuffer> | undefined => {
  const first = pooling === 'last' ? tokens - 1 : 0;
  const end = pooling === 'cls' ? 1 : tokens;
  // Sum in double precision. The mean needs no division, since only the direction is kept.
  const sum = new Float64Array(width);
  for (let row = first; row < end; row++) for (let d = 0; d < width; d++) sum[d] = (sum[d] ?? 0) + (tokenVectors[row * width + d] ?? 0);

  const length = Math.sqrt(sum.reduce((squares, value) => squares + value * value, 0));
  if (!Number.isFinite(length) || length === 0) return undefined;
  return Float32Array.from(sum, (value) => value / length);
};
