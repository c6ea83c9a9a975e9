import { SeededRandom } from '@palimpsest/foundation';
import { Rotation } from './rotation.ts';

const lengthOf = (values: Float64Array): number => Math.hypot(...values);
const axis = (dimensions: number, i: number): Float64Array => Float64Array.from({ length: dimensions }, (_, j) => (i === j ? 1 : 0));
const anything = (dimensions: number, random: SeededRandom): Float64Array =>
  Float64Array.from({ length: dimensions }, () => random.next() - 0.5);
const product = (a: Float64Array, b: Float64Array): number => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);

describe('a rotation', () => {
  it.each([1, 2, 3, 7, 100, 384, 511, 768, 1536, 4096])('keeps lengths and angles, and can be undone: %i dimensions', (dimensions) => {
    const random = new SeededRandom(dimensions);
    const rotation = new Rotation(dimensions, random);
    const [one, other] = [anything(dimensions, random), anything(dimensions, random)];
    const [first, second] = [one.slice(), other.slice()];
    rotation.apply(first);
    rotation.apply(second);
    expect(lengthOf(first)).toBeCloseTo(lengthOf(one), 9);
    expect(product(first, second)).toBeCloseTo(product(one, other), 9);
    rotation.undo(first);
    one.forEach((value, i) => expect(first[i]).toBeCloseTo(value, 12));
  });

  it.each([384, 511, 768])('distributes the values of a single axis almost normally: %i dimensions', (dimensions) => {
    let [fourth, count] = [0, 0];
    for (let seed = 0; seed < 20; seed++) {
      const rotation = new Rotation(dimensions, new SeededRandom(seed));
      for (let i = 0; i < dimensions; i += 17) {
        const values = axis(dimensions, i);
        rotation.apply(values);
        fourth += values.reduce((sum, value) => sum + (value * Math.sqrt(dimensions)) ** 4, 0);
        count += dimensions;
      }
    }
    // 3 for a normal variable; 1 for the values ±1/√d after a single transform, d for the axis itself.
    expect(fourth / count).toBeGreaterThan(2.7);
    expect(fourth / count).toBeLessThan(3.3);
  });

  it('depends on its seed', () => {
    const [one, other] = [1, 2].map((seed) => {
      const values = axis(8, 0);
      new Rotation(8, new SeededRandom(seed)).apply(values);
      return [...values];
    });
    expect(one).not.toEqual(other);
  });
});
