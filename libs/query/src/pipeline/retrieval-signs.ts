import type { FoundByVector, FoundByWords } from './search-state.ts';

/** What can be compared between two models: ranks, and how far the best result stands out among the vectors of its own model. */
export type RetrievalSigns = Readonly<{ topStandard?: number; agreement?: number }>;

const DEPTH = 10;

/**
 * `topStandard`: only if the search by vectors found something. `agreement`: only if both searches found something in the scope. Scores of
 * different models are never compared; a rank and a standard score mean the same for every model.
 */
export const signsOf = (scopeAt: number, dense: FoundByVector['dense'], lexical: FoundByWords['lexical']): RetrievalSigns => {
  const byVectors = dense.hits.filter((hit) => hit.scopeAt === scopeAt).slice(0, DEPTH);
  const byWords = lexical.hits.filter((hit) => hit.scopeAt === scopeAt).slice(0, DEPTH);
  const [best] = byVectors;
  const words = new Set(byWords.map(({ chunkId }) => chunkId));
  const both = byVectors.filter(({ chunkId }) => words.has(chunkId)).length;
  return {
    ...(best ? { topStandard: best.standard } : {}),
    ...(best && byWords.length > 0 ? { agreement: both / Math.min(byVectors.length, byWords.length) } : {}),
  };
};
