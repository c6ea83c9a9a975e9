import fc from 'fast-check';
import { impactOf, lengthNorm, roundedAverage, toScore, weightOf } from './bm25.ts';

describe('BM25 in whole numbers', () => {
  it('rounds the average length by at most 1.6 %, and never to less than one', () =>
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e12 }), fc.integer({ min: 1, max: 1e6 }), (total, count) => {
        const average = Math.max(1, total / count);
        fc.pre(average < 2 ** 31);
        expect(Math.abs(roundedAverage(total, count) / average - 1)).toBeLessThanOrEqual(1 / 64);
      }),
    ));

  it('agrees with the formula in floating point', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 1e6 }),
        fc.nat(),
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 1, max: 3000 }),
        (count, seed, tf, rest) => {
          const df = 1 + (seed % Math.ceil(count / 4));
          const length = tf + rest;
          const exact = (Math.log(1 + (count - df + 0.5) / (df + 0.5)) * tf) / (tf + 1.2 * (0.25 + (0.75 * length) / 128));
          const points = weightOf(count, df) * impactOf(tf, lengthNorm({ k1: 1.2, b: 0.75, average: 128 }, length));
          const halfAStep = (0.5 / 255) * Math.log(2 * count) + 0.001;
          expect(Math.abs(toScore(points) - exact)).toBeLessThan(halfAStep);
        },
      ),
    ));

  it('keeps every weight between 1 and 20,000, and every impact between 1 and 255, for texts and partitions of any size', () => {
    expect([weightOf(1, 1), weightOf(2 ** 32, 2 ** 32), weightOf(2 ** 32, 1)]).toEqual([295, 1, 20_000]);
    const long = lengthNorm({ k1: 1.2, b: 0.75, average: 100 }, 5_000_000);
    expect([impactOf(1, long), impactOf(5_000_000, long)]).toEqual([1, 253]);
  });
});
