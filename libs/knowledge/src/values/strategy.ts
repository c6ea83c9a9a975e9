/**
 * How a search finds candidates, best first. A tenant that may not use one gets the first one that it may use. `DenseSparseRerank` is a
 * hybrid search whose best results a reranker scores. It is last because it costs more: a tenant gets it only if it asks for it.
 */
export const STRATEGIES = ['DenseSparseHybrid', 'DenseOnly', 'SparseOnly', 'DenseSparseRerank'] as const;
/** Of searches that name none in knowledge bases that have no other one. */
export const DEFAULT_STRATEGY: Strategy = 'DenseSparseHybrid';
export type Strategy = (typeof STRATEGIES)[number];

/** Whether a search by vectors and one by words are combined. */
export const isHybrid = (strategy: string): boolean => strategy === 'DenseSparseHybrid' || strategy === 'DenseSparseRerank';
