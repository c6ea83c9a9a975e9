import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { Reranking } from '../pipeline/reranking.ts';
import type { Strategy } from '@palimpsest/knowledge/values';
import type { DescribedReranking } from './search-answer.ts';

/** @throws InvalidValue if the strategy needs a reranker, and there is none */
export const refuseWithoutReranker = (
  { strategy }: Readonly<{ strategy: Strategy }>,
  reranker: object | undefined,
  field = 'strategy',
): void => {
  if (strategy === 'DenseSparseRerank' && reranker === undefined)
    throw new InvalidValue(field, 'a strategy without a reranker, since this installation has none (PALIMPSEST_RERANKER)', strategy);
};

export const describeReranking = (reranking: Reranking): DescribedReranking => ({ ...reranking, detail: detailOf(reranking) });

const detailOf = ({ reranker, outcome, candidates, unscored = 0, weight, reason }: Reranking): string =>
  outcome === 'blended'
    ? `the best ${candidates} results of the search are ordered by its scores and by those of ${reranker} (weight ${weight})` +
      (unscored > 0 ? `; ${unscored} of them have no vector of it, so their score of the search counts instead` : '')
    : `the results are in the order of the search, since ${reranker} ${outcome === 'skipped' ? 'was skipped' : 'abstained'}: ${reason ?? 'no reason is known'}`;
