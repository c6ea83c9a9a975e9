/** Stored rows are unit vectors to this tolerance (checked when they come in). */
export const UNIT_TOLERANCE = 1e-3;
const LONGEST_ROW = 1 + UNIT_TOLERANCE + 1e-6;
/** Covers the rounding of the bound itself, done in float64 on figures below 10. */
const TINY = 1e-9;

/** A query as the kernel takes it; `bound` below says what the last four figures are for. */
export type QueryCode = Readonly<{
  /** The query, padded with zeros to the kernel's width. */
  values: Float32Array;
  /** round(value / scale), from -127 to 127. */
  codes: Int8Array;
  scale: number;
  /** 64 x the sum of the codes: rows are stored as code + 64. */
  offset: number;
  errorPerResidual: number;
  constantError: number;
}>;

/** Dimensions, rounded up to what the kernel reads at a time. */
export const paddedWidth = (dimensions: number): number => Math.ceil(dimensions / 32) * 32;

/**
 * Prepares a query q. With a row x = a·c + r (codes c, scale a, rest r) and q = b·p + t in the same way:
 *
 *   q·x = ab·(p·c) + t·(a·c) + q·r  <=  ab·(p·c) + |t|·(|x| + |r|) + |q|·|r|        (Cauchy-Schwarz, twice)
 *
 * and the float32 sum of n roundings differs from q·x by at most γ·|q|·|x|, γ = nu / (1 - nu), u = 2^-24 (Higham, Accuracy
 * and Stability of Numerical Algorithms, 3.1). So a row's score is at most
 *
 *   ab·(p·c) + |r|·errorPerResidual + constantError.
 */
export const encodeQuery = (vector: Float32Array): QueryCode => {
  const width = paddedWidth(vector.length);
  const values = new Float32Array(width);
  values.set(vector);
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const scale = largest / 127;
  const codes = Int8Array.from(values, (value) => (scale === 0 ? 0 : Math.round(value / scale)));
  let squares = 0;
  let restSquares = 0;
  let sum = 0;
  for (let j = 0; j < width; j++) {
    const value = values[j] ?? 0;
    const code = codes[j] ?? 0;
    squares += value * value;
    restSquares += (value - scale * code) ** 2;
    sum += code;
  }
  const length = Math.sqrt(squares);
  const rest = Math.sqrt(restSquares);
  // One product, width / 16 additions in each of the running sums, four to join them.
  const roundings = (width / 16 + 5) * 2 ** -24;
  const gamma = roundings / (1 - roundings);
  return {
    values,
    codes,
    scale,
    offset: 64 * sum,
    errorPerResidual: length + rest,
    constantError: (rest + gamma * length) * LONGEST_ROW + TINY,
  };
};
