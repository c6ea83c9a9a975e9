import fc from 'fast-check';
import { evaluate, ndcgAt, overlapAt, recallAt, reciprocalRankAt } from './metrics.ts';

const judgements = { a: 3, b: 2, c: 1, d: 0 };

describe('nDCG', () => {
  it('is computed by hand for a ranking with graded relevance', () => {
    // Gains 2, 0, 3 at ranks 1-3: 2/1 + 0 + 3/2 = 3.5; ideal 3/1 + 2/1.58496 + 1/2 = 4.76186.
    expect(ndcgAt(10, ['b', 'x', 'a'], judgements)).toBeCloseTo(3.5 / 4.761859507, 8);
  });
  it('has a linear gain, as trec_eval has', () =>
    expect(ndcgAt(2, ['b', 'a'], { a: 3, b: 1 })).toBeCloseTo((1 + 3 / Math.log2(3)) / (3 + 1 / Math.log2(3)), 12));
  it('cuts ranking and ideal at k', () => expect(ndcgAt(1, ['b', 'a'], judgements)).toBeCloseTo(2 / 3, 12));
  it('is 0 when nothing is relevant', () => expect(ndcgAt(10, ['a'], { a: 0 })).toBe(0));
  it('counts an id once', () => expect(ndcgAt(10, ['a', 'a', 'a'], { a: 1 })).toBe(1));
  it('lies between 0 and 1, and is 1 for the ideal order', () =>
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ maxLength: 3 }), fc.nat(4), { minKeys: 1 }),
        fc.integer({ min: 1, max: 12 }),
        (relevance, k) => {
          const ideal = Object.keys(relevance).sort((one, other) => (relevance[other] ?? 0) - (relevance[one] ?? 0));
          const value = ndcgAt(k, ideal.toReversed(), relevance);
          expect(value >= 0 && value <= 1 + 1e-12).toBe(true);
          if (Object.values(relevance).some((gain) => gain > 0)) expect(ndcgAt(k, ideal, relevance)).toBeCloseTo(1, 12);
        },
      ),
    ));
});

describe('Recall', () => {
  it('is the part of the relevant ids among the first k', () => {
    expect(recallAt(2, ['a', 'x', 'b'], judgements)).toBeCloseTo(1 / 3, 12);
    expect(recallAt(3, ['a', 'x', 'b'], judgements)).toBeCloseTo(2 / 3, 12);
  });
  it('does not count what was judged irrelevant', () => expect(recallAt(10, ['d'], judgements)).toBe(0));
});

describe('Reciprocal rank', () => {
  it('is one over the rank of the first relevant id', () =>
    expect(reciprocalRankAt(10, ['x', 'd', 'c', 'a'], judgements)).toBeCloseTo(1 / 3, 12));
  it('is 0 when that comes after k', () => expect(reciprocalRankAt(2, ['x', 'd', 'c'], judgements)).toBe(0));
});

describe('Overlap', () => {
  it('is the part that two rankings share', () => expect(overlapAt(3, ['a', 'b', 'c', 'z'], ['c', 'a', 'x', 'b'])).toBeCloseTo(2 / 3, 12));
  it('is by the longer of both', () => expect(overlapAt(10, ['a'], ['a', 'b'])).toBe(0.5));
  it('is 1 for two empty rankings', () => expect(overlapAt(10, [], [])).toBe(1));
});

describe('An evaluation', () => {
  it('is the mean over the queries that have an answer', () => {
    const queries = [
      { ranking: ['a'], judgements: { a: 1 } },
      { ranking: ['x', 'a'], judgements: { a: 1 } },
      { ranking: ['x'], judgements: { a: 0 } },
    ];
    expect(evaluate(10, queries)).toEqual({ queries: 2, ndcg: (1 + 1 / Math.log2(3)) / 2, recall: 1, mrr: 0.75 });
  });
});
