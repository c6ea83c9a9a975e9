import fc from 'fast-check';
import { meanOf, metricsOf, ndcg, recall, reciprocalRank } from './metrics.ts';

const judgements = new Map([
  ['a', 3],
  ['b', 1],
  ['z', 0],
]);

describe('A ranking', () => {
  it('is scored by the gain at each rank, relative to the best possible ranking', () => {
    // (0/log2(2) + 1/log2(3) + 3/log2(4)) / (3/log2(2) + 1/log2(3)), calculated by hand
    expect(ndcg(['x', 'b', 'a'], judgements, 10)).toBeCloseTo(0.58688, 5);
    expect(ndcg(['a', 'b'], judgements, 10)).toBe(1);
    expect(ndcg(['x', 'z'], judgements, 10)).toBe(0);
  });

  it('is scored by the share of relevant documents that it contains', () => {
    expect(recall(['x', 'a'], judgements, 10)).toBe(0.5);
    expect(recall(['x', 'y', 'a', 'b'], judgements, 3)).toBe(0.5);
  });

  it('is scored by the rank of the first relevant document', () => {
    expect(reciprocalRank(['z', 'x', 'b', 'a'], judgements, 10)).toBeCloseTo(1 / 3);
    expect(reciprocalRank(['z', 'x', 'b'], judgements, 2)).toBe(0);
  });

  it('always scores from 0 to 1', () => {
    const graded = fc.dictionary(fc.string({ minLength: 1, maxLength: 2 }), fc.integer({ min: 1, max: 4 }), { minKeys: 1 });
    fc.assert(
      fc.property(graded, fc.uniqueArray(fc.string({ minLength: 1, maxLength: 2 })), (gains, ranking) => {
        const all = Object.values(metricsOf(ranking, new Map(Object.entries(gains))));
        return all.every((figure) => figure >= 0 && figure <= 1 + 1e-9);
      }),
    );
  });

  it('of many queries is the mean of each figure', () => {
    const good = metricsOf(['a', 'b'], judgements);
    const bad = metricsOf(['x'], judgements);
    expect(meanOf([good, bad])).toEqual({ ndcg10: 0.5, recall10: 0.5, recall100: 0.5, mrr10: 0.5 });
  });
});
