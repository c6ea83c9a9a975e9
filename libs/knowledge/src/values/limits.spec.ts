import { allowedStrategy, windowOf, withOverrides, type Limits } from './limits.ts';
import { STRATEGIES } from './strategy.ts';

const FREE: Limits = {
  rates: { search: { perSecond: 2, burst: 10 }, writes: { perSecond: 1, burst: 1 } },
  quotas: { documents: 100, knowledgeBases: 1 },
  strategies: ['SparseOnly'],
  weight: 1,
};

describe('the limits of a tenant', () => {
  it('are those of its tier if it has no overrides', () => expect(withOverrides(FREE, {})).toEqual(FREE));
  it('are overridden one by one', () =>
    expect(
      withOverrides(FREE, { rates: { search: { perSecond: 5, burst: 5 } }, quotas: { documents: 500, chunks: 7 }, weight: 4 }),
    ).toEqual({
      ...FREE,
      rates: { search: { perSecond: 5, burst: 5 }, writes: { perSecond: 1, burst: 1 } },
      quotas: { documents: 500, knowledgeBases: 1, chunks: 7 },
      weight: 4,
    }));
  it('are lifted by null', () =>
    expect(
      withOverrides(FREE, { rates: { search: null, writes: null }, quotas: { documents: null }, strategies: null, weight: null }),
    ).toEqual({ quotas: { knowledgeBases: 1 } }));
  it('do not exist without a tier', () => expect(withOverrides({}, {})).toEqual({}));
});

describe('a rate', () => {
  it('applies to windows whose length is burst / perSecond', () =>
    expect([windowOf({ perSecond: 2, burst: 10 }), windowOf({ perSecond: 0.5, burst: 1 }), windowOf({ perSecond: 0.1, burst: 3 })]).toEqual(
      [5, 2, 30],
    ));
});

describe('a strategy', () => {
  it('is used as requested if it is allowed, otherwise the best allowed one is used', () => {
    expect(allowedStrategy('DenseOnly', undefined, STRATEGIES)).toBe('DenseOnly');
    expect(allowedStrategy('DenseOnly', ['DenseOnly'], STRATEGIES)).toBe('DenseOnly');
    expect(allowedStrategy('DenseSparseHybrid', ['SparseOnly', 'DenseOnly'], STRATEGIES)).toBe('DenseOnly');
    expect(allowedStrategy('DenseSparseHybrid', ['SparseOnly'], STRATEGIES)).toBe('SparseOnly');
  });
});
