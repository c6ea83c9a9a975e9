import { gateReason, MIN_QUERIES, type GateMeasure } from '@palimpsest/evaluation';
import type { StrategyEvaluation } from '@palimpsest/knowledge/evaluation';

/**
 * The share of searches that a reranker may miss. A search without it has the order of the search, so a reranker that is mostly away would
 * pass as not worse.
 */
const MAX_SKIPPED = 0.05;

type Decided = Pick<StrategyEvaluation, 'verdict' | 'reasons' | 'additionalQueries'>;

/** The verdict of the measure, unless the reranker was skipped in too many searches to be judged. */
export const decideOnStrategy = (
  measure: GateMeasure | undefined,
  reranked: Readonly<{ blended: number; abstained: number; skipped: number }> | undefined,
): Decided => {
  if (measure === undefined)
    return {
      verdict: 'undecided',
      reasons: [`no judged query of the knowledge base could be searched with both strategies; at least ${MIN_QUERIES} are needed`],
      additionalQueries: MIN_QUERIES,
    };
  const { verdict, additionalQueries, queries } = measure;
  const reasons = [gateReason(measure)];
  const skipped = reranked?.skipped ?? 0;
  if (verdict === 'not-worse' && skipped > queries * MAX_SKIPPED)
    return {
      verdict: 'undecided',
      reasons: [
        ...reasons,
        `the reranker was skipped in ${skipped} of ${queries} searches, and at most ${MAX_SKIPPED * 100} % are accepted`,
      ],
    };
  return { verdict, reasons, ...(additionalQueries === undefined ? {} : { additionalQueries }) };
};
