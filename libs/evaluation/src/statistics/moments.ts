export const meanOf = (values: readonly number[] | Float64Array): number => {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
};

/** Of a sample: divided by n - 1. 0 for fewer than 2 values. */
export const deviationOf = (values: readonly number[] | Float64Array): number => {
  const mean = meanOf(values);
  let squares = 0;
  for (const value of values) squares += (value - mean) ** 2;
  return values.length < 2 ? 0 : Math.sqrt(squares / (values.length - 1));
};
