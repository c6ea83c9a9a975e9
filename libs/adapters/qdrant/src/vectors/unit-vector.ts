import { InvalidValue } from '@palimpsest/knowledge/errors';

const TOLERANCE = 1e-3;

/** @throws InvalidValue unless the vector has these dimensions, is finite, and of length 1 (±1e-3), like the embedded index */
export const checkUnit = (vector: Float32Array, dimensions: number, field: string): void => {
  if (!(vector instanceof Float32Array)) throw new InvalidValue(field, 'a Float32Array', typeof vector);
  if (vector.length !== dimensions)
    throw new InvalidValue(field, `${dimensions} dimensions (embedding version of the partition)`, vector.length);
  let squares = 0;
  for (const value of vector) squares += value * value;
  // Written so that NaN is refused as well.
  if (!(Math.abs(Math.sqrt(squares) - 1) <= TOLERANCE))
    throw new InvalidValue(field, 'a finite vector of length 1', `length ${Math.sqrt(squares)}`);
};
