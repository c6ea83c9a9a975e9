import type { KnowledgeBaseStrategy, StrategyInUse } from '@palimpsest/client';

/** As the server names it in its sentences. */
export const strategyText = ({ strategy, reranker }: StrategyInUse): string =>
  reranker === undefined
    ? strategy
    : `${strategy} with ${reranker.version} (weight ${reranker.weight}, best ${reranker.candidates} results)`;

const COMMON: StrategyInUse = { strategy: 'DenseSparseHybrid' };

const same = (a: StrategyInUse, b: StrategyInUse): boolean => strategyText(a) === strategyText(b);

/** What can be set without a reason: what was evaluated as not worse than what searches use, and the common strategy. */
export const admitted = (shown: Pick<KnowledgeBaseStrategy, 'default' | 'used' | 'evaluation'>): readonly StrategyInUse[] => {
  const { evaluation, used } = shown;
  const evaluated = evaluation?.verdict === 'not-worse' && same(evaluation.against, used) ? [evaluation] : [];
  const all = evaluated.some((strategy) => same(strategy, COMMON)) ? evaluated : [...evaluated, COMMON];
  return all.filter((strategy) => !same(strategy, shown.default));
};
