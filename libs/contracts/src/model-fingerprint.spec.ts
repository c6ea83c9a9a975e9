import fc from 'fast-check';
import { fingerprintOf, lowestSimilarity, similarityTo } from './model-fingerprint.ts';

const directions = fc
  .integer({ min: 8, max: 1_536 })
  .chain((dimensions) => fc.float32Array({ minLength: dimensions, maxLength: dimensions, min: -1, max: 1, noNaN: true }))
  .filter((vector) => vector.some((value) => Math.abs(value) > 1e-6));

describe('the fingerprint of a model', () => {
  it('has the directions of the vectors', () =>
    fc.assert(
      fc.property(directions, (vector) =>
        expect(lowestSimilarity(fingerprintOf([vector, vector]), [vector, vector])).toBeGreaterThan(0.999),
      ),
    ));

  it('shows the vector that differs most', () => {
    const [one, other, between] = [Float32Array.of(1, 0), Float32Array.of(0, 1), Float32Array.of(0.6, 0.8)];
    const fingerprint = fingerprintOf([one, one, one]);
    expect(lowestSimilarity(fingerprint, [one, one, one])).toBeCloseTo(1);
    expect(lowestSimilarity(fingerprint, [one, between, one])).toBeCloseTo(0.6);
    expect(lowestSimilarity(fingerprint, [one, between, other])).toBeCloseTo(0);
  });

  it('is like no vector of other dimensions, and like none that is missing', () => {
    const [recorded] = fingerprintOf([Float32Array.of(1, 0)]);
    expect(similarityTo(recorded, Float32Array.of(1, 0, 0))).toBe(0);
    expect(similarityTo(recorded, undefined)).toBe(0);
    expect(similarityTo(undefined, Float32Array.of(1, 0))).toBe(0);
    expect(similarityTo(recorded, Float32Array.of(0, 0))).toBe(0);
  });
});
