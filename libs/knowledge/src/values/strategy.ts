/** How a search finds its candidates. The better ones first: who may not use one is given the next that it may. */
export const STRATEGIES = ['DenseSparseHybrid', 'DenseOnly', 'SparseOnly'] as const;
export type Strategy = (typeof STRATEGIES)[number];
