import { matchFloors, MIN_QUERIES } from '@palimpsest/evaluation';
import type { EvaluationFloors } from '@palimpsest/knowledge/evaluation';
import type { QueryOutcome } from './run-queries.ts';

/**
 * What a `minScore` of the old model becomes with the new one. Queries of people are preferred: the scores of passages are higher. Undefined
 * with fewer queries than a verdict needs.
 */
export const scoreFloors = (outcomes: readonly QueryOutcome[]): EvaluationFloors | undefined => {
  const passages = outcomes.filter(({ query }) => query.source === 'self');
  const people = outcomes.filter(({ query }) => query.source !== 'self');
  const [basis, used] = people.length >= MIN_QUERIES ? (['people', people] as const) : (['passages', passages] as const);
  if (used.length < MIN_QUERIES) return undefined;
  const scoresOf = (side: 'before' | 'after') => used.flatMap(({ scores }) => scores[side]);
  return { basis, queries: used.length, floors: matchFloors(scoresOf('before'), scoresOf('after')) };
};
