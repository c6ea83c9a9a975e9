import fc from 'fast-check';
import { golden } from '../../test/golden.ts';
import { randomRun } from '../../test/random-run.ts';
import { rankByScore } from '../measures/rank-by-score.ts';
import { overlap } from './overlap.ts';
import { rankBiasedOverlap } from './rank-biased-overlap.ts';
import { scoreShift } from './score-shift.ts';

const rankingOf = (seed: number) => rankByScore(randomRun(seed).documents);
const rankings = fc.uniqueArray(fc.string({ maxLength: 1 }), { maxLength: 20 });

describe('Rank-biased overlap', () => {
  it('is that of the package `rbo` on 300 pairs of rankings of different lengths', () => {
    const { rbo } = golden('rankings') as { rbo: readonly (readonly [p: number, value: number])[] };
    const wrong = rbo.flatMap(([p, expected], pair) => {
      const value = rankBiasedOverlap(rankingOf(2 * pair), rankingOf(2 * pair + 1), p);
      return Math.abs(value - expected) <= 1e-9 ? [] : [{ pair, value, expected }];
    });
    expect([rbo.length, wrong]).toEqual([300, []]);
  });

  it('is symmetric, from 0 to 1, and 1 for the same ranking', () => {
    fc.assert(
      fc.property(rankings, rankings, (a, b) => {
        const value = rankBiasedOverlap(a, b);
        return value >= 0 && value <= 1 + 1e-12 && value === rankBiasedOverlap(b, a) && Math.abs(rankBiasedOverlap(a, a) - 1) < 1e-12;
      }),
    );
  });

  it('gives the top more weight', () => {
    const original = ['a', 'b', 'c', 'd', 'e'];
    expect(rankBiasedOverlap(original, ['b', 'a', 'c', 'd', 'e'])).toBeLessThan(rankBiasedOverlap(original, ['a', 'b', 'c', 'e', 'd']));
  });

  it('has an answer for empty rankings, and none for a persistence outside 0 to 1', () => {
    expect([rankBiasedOverlap([], []), rankBiasedOverlap(['a'], [])]).toEqual([1, 0]);
    expect(() => rankBiasedOverlap(['a'], ['a'], 1)).toThrow('persistence 1: expected a number between 0 and 1');
  });
});

describe('Overlap', () => {
  it('is the share of the first documents that both have', () => {
    expect(overlap(['a', 'b', 'c', 'd'], ['d', 'c', 'x', 'a'], 3)).toBeCloseTo(1 / 3);
    expect([overlap(['a', 'b'], ['a'], 10), overlap([], [], 10), overlap(['a'], [], 10)]).toEqual([0.5, 1, 0]);
  });
});

describe('Score shift', () => {
  it('is the mean difference over the ranks that both sides have', () => {
    expect(scoreShift([0.9, 0.5, 0.1], [0.8, 0.3])).toBeCloseTo(-0.15);
    expect(scoreShift([], [1])).toBeUndefined();
  });
});
