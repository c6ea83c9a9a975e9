import fc from 'fast-check';
import { jsonNumbers } from './json-numbers.ts';

const read = (json: string): Float32Array => Float32Array.from(JSON.parse(json) as number[]);

describe('jsonNumbers', () => {
  it('are read back as the same float32 values', () =>
    fc.assert(
      fc.property(fc.float32Array({ noNaN: true, noDefaultInfinity: true }), (vector) => {
        // JSON has no -0, and a dot product does not distinguish it from 0.
        expect(read(JSON.stringify(jsonNumbers(vector)))).toEqual(vector.map((value) => value + 0));
      }),
    ));

  it('are shorter than their float64 values for components of a vector of length 1', () => {
    const vector = Float32Array.from({ length: 384 }, (_, i) => Math.sin(i) / 14);
    expect(JSON.stringify(jsonNumbers(vector)).length).toBeLessThan(0.7 * JSON.stringify(Array.from(vector)).length);
  });
});
