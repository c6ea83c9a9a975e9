const DECIMALS = 1e10;

/**
 * A vector for JSON: numbers that a server reads as the same float32 values, most of them with ten decimals instead of the seventeen
 * digits of their float64 values. That makes a batch of vectors 40 % shorter, and reduces the time to write and read it as much.
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
