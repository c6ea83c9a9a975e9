/** Stored rows are unit vectors within this tolerance (checked when they are added). */
export const UNIT_TOLERANCE = 1e-3;
const MAX_ROW_LENGTH = 1 + UNIT_TOLERANCE + 1e-6;
/** Covers the rounding of the bound itself, which is computed in float64 with numbers below 10. */
const TINY = 1e-9;

/** A query in the form that the kernel expects. `encodeQuery` explains the last four numbers. */
export type QueryCode = Readonly<{
  /** The query, padded with zeros to the width of the kernel. */
  values: Float32Array;
  /** round(value / scale), from -127 to 127. */
  codes: Int8Array;
  scale: number;
  /** 64 x the sum of the codes: rows are stored as code + 64. */
  offset: number;
  errorPerResidual: number;
  constantError: number;
}>;

/** The number of dimensions, rounded up to a multiple of what the kernel reads at a time. */
export const paddedWidth = (dimensions: number): number => Math.ceil(dimensions / 32) * 32;

/**
 * Prepares a query q. With a row x = a·c + r (codes c, scale a, residual r) and likewise q = b·p + t:
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
  const largest = values.reduce((max, value) => Math.max(max, Math.abs(value)), 0);
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
  // One product, width / 16 additions in each running sum, and four additions to combine them.
  const roundings = (width / 16 + 5) * 2 ** -24;
  const gamma = roundings / (1 - roundings);
  return {
    values,
    codes,
    scale,
    offset: 64 * sum,
    errorPerResidual: length + rest,
    constantError: (rest + gamma * length) * MAX_ROW_LENGTH + TINY,
  };
};
