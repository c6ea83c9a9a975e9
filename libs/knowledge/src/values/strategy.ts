/** How a search finds candidates, best first. A tenant that may not use one gets the next one that it may use. */
export const STRATEGIES = ['DenseSparseHybrid', 'DenseOnly', 'SparseOnly'] as const;
export type Strategy = (typeof STRATEGIES)[number];
