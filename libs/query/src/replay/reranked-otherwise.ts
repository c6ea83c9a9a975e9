import type { Reranking } from '../pipeline/reranking.ts';

/** Says in words that two searches were reranked otherwise. */
export const rerankedOtherwise = (was: Reranking, is: Reranking): string => `${wordsOf(is)} instead of ${wordsOf(was)}`;

const wordsOf = ({ reranker, outcome, weight, reason }: Reranking): string =>
  outcome === 'blended'
    ? `results were reranked by ${reranker} with the weight ${weight}`
    : `results were not reranked, since ${reranker} ${outcome === 'skipped' ? 'was skipped' : 'abstained'}${reason === undefined ? '' : ` (${reason})`}`;
