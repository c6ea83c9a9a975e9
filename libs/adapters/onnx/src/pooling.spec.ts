import { unitVector } from './pooling.ts';

/** Two tokens of three numbers. */
const TOKENS = Float32Array.of(3, 0, 4, 1, 0, 0);

describe('pooling', () => {
  it('returns the mean of the tokens, at unit length', () => {
    const vector = unitVector(TOKENS, 2, 3, 'mean');
    const half = Math.sqrt(0.5);
    expect(vector).toEqual(Float32Array.of(half, 0, half));
  });

  it('returns the first token, at unit length', () => {
    expect(unitVector(TOKENS, 2, 3, 'cls')).toEqual(Float32Array.of(0.6, 0, 0.8));
  });

  it('returns the last token, at unit length', () => {
    expect(unitVector(Float32Array.of(1, 0, 0, 3, 0, 4), 2, 3, 'last')).toEqual(Float32Array.of(0.6, 0, 0.8));
  });

  it.each([0, NaN, Infinity])('returns undefined for a vector of %d', (value) => {
    expect(unitVector(new Float32Array(3).fill(value), 1, 3, 'mean')).toBeUndefined();
  });
});
