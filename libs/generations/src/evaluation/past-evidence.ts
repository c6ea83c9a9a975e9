import { quantile } from '@palimpsest/evaluation';
import type { EvaluationPast, PastQueryChange, QueryWindow } from '@palimpsest/knowledge/evaluation';
import { agreementOf } from './decide.ts';
import type { QueryOutcome } from './run-queries.ts';

/** Past queries that are named by their records: those whose results differ most. */
const MAX_NAMED = 100;

/** How the results of past queries changed. They have no judgements, so this says that something changed, and not whether it is worse. */
export const pastEvidence = (
  outcomes: readonly QueryOutcome[],
  leftOut: number,
  window?: QueryWindow,
): Readonly<{ past: EvaluationPast; pastQueries: readonly PastQueryChange[] }> => {
  const asked = outcomes.flatMap(({ query, ...outcome }) => (query.source === 'past' ? [{ ...query.of, ...outcome }] : []));
  const agreement = agreementOf(asked);
  const [before, after] = (['before', 'after'] as const).map((side) =>
    quantile(
      asked.flatMap(({ scores }) => scores[side][0] ?? []),
      0.5,
    ),
  );
  const without = (side: 'before' | 'after'): number =>
    asked.filter(({ scores, minScore = Number.NEGATIVE_INFINITY }) => !scores[side].some((score) => score >= minScore)).length;
  return {
    past: {
      ...(window === undefined ? {} : { window }),
      ...{ used: asked.length, leftOut, withoutResults: { before: without('before'), after: without('after') } },
      ...(agreement ? { agreement } : {}),
      ...(before === undefined || after === undefined ? {} : { bestScore: { before, after } }),
    },
    pastQueries: asked
      .map(({ traceId, overlap, rbo }) => ({ traceId, overlap, rbo }))
      .sort((a, b) => a.rbo - b.rbo)
      .slice(0, MAX_NAMED),
  };
};
