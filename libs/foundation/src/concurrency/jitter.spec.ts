import fc from 'fast-check';
import { equalJitter, fullJitter } from './jitter.ts';

const failures = fc.nat({ max: 5_000 });
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('The pause between attempts', () => {
  it('doubles its bound with each failure, up to the cap', () => {
    expect([0, 1, 2, 3, 4, 1_000].map((count) => fullJitter(count, 100, 1_000, () => 1))).toEqual([100, 200, 400, 800, 1_000, 1_000]);
  });

  it('is a random part of the bound', () =>
    fc.assert(
      fc.property(failures, random, (count, share) => {
        const max = Math.min(5_000, 50 * 2 ** Math.min(count, 30));
        expect(fullJitter(count, 50, 5_000, () => share)).toBeCloseTo(share * max, 6);
        expect(equalJitter(count, 50, 5_000, () => share)).toBeCloseTo(max / 2 + (share * max) / 2, 6);
      }),
    ));

  it('is zero without a base, after any number of failures', () =>
    fc.assert(fc.property(failures, (count) => expect(fullJitter(count, 0, 1_000, () => 0.5)).toBe(0))));
});
