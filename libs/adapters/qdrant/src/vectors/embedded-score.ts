const LANES = 16;

/**
 * The float32 dot product as the embedded index's kernel computes it (libs/adapters/vector-scan/kernels/scan.ts): sixteen
 * running sums, each step rounded to float32, added up pairwise. It is bit-identical, so that an installation on Qdrant ranks
 * near-equal chunks like an embedded one, whatever instructions the server's processor has.
 */
export const embeddedScore = (a: Float32Array, b: Float32Array): number => {
  const sums = new Float32Array(LANES);
  for (let i = 0; i < a.length; i++) sums[i % LANES] = (sums[i % LANES] as number) + Math.fround((a[i] as number) * (b[i] as number));
  const lane = new Float32Array(4);
  for (let i = 0; i < 4; i++) lane[i] = Math.fround(at(sums, i) + at(sums, i + 4)) + Math.fround(at(sums, i + 8) + at(sums, i + 12));
  return Math.fround(Math.fround(at(lane, 0) + at(lane, 1)) + Math.fround(at(lane, 2) + at(lane, 3)));
};

const at = (values: Float32Array, i: number): number => values[i] as number;

/**
 * Maximum difference between two float32 dot products of the same unit vectors, in any order of summation: each is within
 * dimensions × 2^-24 of the true one (Higham, Accuracy and Stability, 3.1, with Σ|a·b| ≤ 1), plus a margin for the vectors' length.
 */
export const scoreSlack = (dimensions: number): number => (dimensions + 8) * 2 ** -23;
