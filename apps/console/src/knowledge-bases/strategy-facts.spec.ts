import type { KnowledgeBaseStrategy, StrategyInUse } from '@palimpsest/client';
import { admitted, strategyText } from './strategy-facts.ts';

const HYBRID: StrategyInUse = { strategy: 'DenseSparseHybrid' };
const SPARSE: StrategyInUse = { strategy: 'SparseOnly' };
const RERANK: StrategyInUse = { strategy: 'DenseSparseRerank', reranker: { version: 'endpoint:bge', weight: 0.5, candidates: 30 } };

const evaluated = (
  strategy: StrategyInUse,
  against: StrategyInUse,
  verdict: NonNullable<KnowledgeBaseStrategy['evaluation']>['verdict'] = 'not-worse',
): NonNullable<KnowledgeBaseStrategy['evaluation']> => ({
  ...strategy,
  ...{ against, verdict, reasons: [], margin: 0.02, seed: 7, from: '8', upTo: '9', unsettled: 0 },
  golden: { used: 80, synthetic: 0, unusable: 0 },
});

describe('a strategy as text', () => {
  it('names its reranker', () => {
    expect(strategyText(SPARSE)).toBe('SparseOnly');
    expect(strategyText(RERANK)).toBe('DenseSparseRerank with endpoint:bge (weight 0.5, best 30 results)');
  });
});

describe('the strategies that can be set', () => {
  const texts = (shown: Parameters<typeof admitted>[0]) => admitted(shown).map(strategyText);

  it('are none while searches use the common one and nothing was evaluated', () =>
    expect(texts({ default: HYBRID, used: HYBRID })).toEqual([]));
  it('include what was evaluated as not worse than what searches use', () => {
    expect(texts({ default: HYBRID, used: HYBRID, evaluation: evaluated(RERANK, HYBRID) })).toEqual([strategyText(RERANK)]);
    for (const verdict of ['worse', 'undecided'] as const)
      expect(texts({ default: HYBRID, used: HYBRID, evaluation: evaluated(RERANK, HYBRID, verdict) })).toEqual([]);
  });
  it('do not include what was compared with something else', () =>
    expect(texts({ default: SPARSE, used: SPARSE, evaluation: evaluated(RERANK, HYBRID) })).toEqual(['DenseSparseHybrid']));
  it('include the common one once', () =>
    expect(texts({ default: SPARSE, used: SPARSE, evaluation: evaluated(HYBRID, SPARSE) })).toEqual(['DenseSparseHybrid']));
  it('do not include what is set, also while searches use something else instead', () => {
    expect(texts({ default: RERANK, used: RERANK, evaluation: evaluated(RERANK, HYBRID) })).toEqual(['DenseSparseHybrid']);
    expect(texts({ default: RERANK, used: HYBRID, evaluation: evaluated(RERANK, HYBRID) })).toEqual(['DenseSparseHybrid']);
  });
});
