import type { SeededRandom } from '@palimpsest/foundation';

/** Up to this number of queries, all 2 ** n sign patterns are counted: at most 8,192, and exact. */
const EXACT_UP_TO = 13;
/** Queries whose signs come from one random number. */
const WORD = 32;
/** Queries that share a table of their 256 signed sums: one look-up instead of eight additions. */
const BLOCK = 8;

/**
 * The paired randomisation test of Fisher: if both sides are equally good, the sign of each query's difference is a coin toss. The p value
 * is the share of sign patterns whose mean difference is at least as far from 0 as the observed one (two-sided).
 *
 * Each column holds the differences of one measure, all for the same queries in the same order; a pattern is applied to all columns.
 * With 13 queries or fewer, all patterns are counted, and p is exact. Otherwise `permutations` are drawn, and p = (1 + as far) / (1 + drawn),
 * which is never 0 and never too small (Phipson and Smyth, "Permutation P-values should never be zero", SAGMB 9, 2010).
 */
export const randomisationTest = (
  columns: readonly Float64Array[],
  { permutations, random }: Readonly<{ permutations: number; random: SeededRandom }>,
): readonly number[] => {
  const queries = columns[0]?.length ?? 0;
  const isExact = queries <= EXACT_UP_TO;
  const signs = new Uint32Array(isExact ? 2 ** queries : permutations);
  const sums = columns.map(() => new Float64Array(signs.length));
  for (let from = 0; from < queries; from += WORD) {
    for (let at = 0; at < signs.length; at++) signs[at] = isExact ? at : random.uint32();
    for (const [index, column] of columns.entries()) addSigned(sums[index] as Float64Array, column, from, signs);
  }
  return columns.map((column, index) => {
    // The same numbers summed in another order differ in the last digits.
    const observed = Math.abs(column.reduce((sum, value) => sum + value, 0)) - 1e-9;
    const asFar = (sums[index] as Float64Array).reduce((count, sum) => (Math.abs(sum) >= observed ? count + 1 : count), 0);
    return isExact ? asFar / signs.length : (asFar + 1) / (signs.length + 1);
  });
};

/** Adds the 32 differences from `from` on to each sum, with the signs of its pattern. */
const addSigned = (sums: Float64Array, column: Float64Array, from: number, signs: Uint32Array): void => {
  const [first, second, third, fourth] = [0, 1, 2, 3].map((block) => signedSums(column, from + block * BLOCK)) as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  for (let at = 0; at < sums.length; at++) {
    const word = signs[at] as number;
    (sums[at] as number) +=
      (first[word & 255] as number) +
      (second[(word >>> 8) & 255] as number) +
      (third[(word >>> 16) & 255] as number) +
      (fourth[word >>> 24] as number);
  }
};

/** The sum of the 8 differences from `from` on for each of the 256 ways to choose their signs. Zeros follow the end of the column. */
const signedSums = (column: Float64Array, from: number): Float64Array =>
  Float64Array.from({ length: 2 ** BLOCK }, (_, pattern) => {
    let sum = 0;
    for (let bit = 0; bit < BLOCK; bit++) {
      const value = column[from + bit] ?? 0;
      sum += (pattern >>> bit) & 1 ? -value : value;
    }
    return sum;
  });
