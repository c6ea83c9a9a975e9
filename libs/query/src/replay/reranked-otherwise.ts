import type { RetrievalReranking } from '@palimpsest/knowledge/events';

/** Says in words that two searches were reranked otherwise. */
export const rerankedOtherwise = (was: RetrievalReranking, is: RetrievalReranking): string => `${wordsOf(is)} instead of ${wordsOf(was)}`;

const wordsOf = ({ reranker, outcome, weight, reason }: RetrievalReranking): string =>
  outcome === 'blended'
    ? `results were reranked by ${reranker} with the weight ${weight}`
    : `results were not reranked, since ${reranker} ${outcome === 'skipped' ? 'was skipped' : 'abstained'}${reason === undefined ? '' : ` (${reason})`}`;
