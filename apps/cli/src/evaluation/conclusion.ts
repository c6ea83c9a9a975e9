import { MIN_QUERIES } from '@palimpsest/evaluation';
import type { Comparison, MeasureComparison } from '@palimpsest/evaluation';
import { signed } from '../render/signed.ts';

/** The verdict on a run in words. */
export const conclusion = ({ verdict, queries, margin, measures, additionalQueries = 0, unseenShare }: Comparison): string => {
  if (verdict === 'not worse')
    return `not worse: no measure loses more than ${margin}. Up to ${(unseenShare * 100).toFixed(1)} % of all queries could differ without one of them being among these.`;
  if (verdict === 'worse')
    return `worse: ${measures
      .filter((each) => each.verdict === 'worse')
      .map(({ measure, difference }) => `${measure} ${signed(difference)}`)
      .join(', ')}`;
  return `undecided: ${whatDecides(queries, additionalQueries)}`;
};

/** The verdict on one measure of a run in words, with its figures. */
export const measureConclusion = (
  { measure, before, after, difference, interval, adjustedP, verdict, additionalQueries = 0 }: MeasureComparison,
  { queries, margin, level }: Comparison,
): string =>
  `${measure} ${before.toFixed(4)} → ${after.toFixed(4)}, ${signed(difference)} (${percentOf(level)} interval ${interval.map(signed).join(' to ')}, ` +
  `p (Holm) ${adjustedP.toFixed(4)}) over ${queries} queries, margin ${margin}: ${verdict}` +
  (verdict === 'undecided' ? `, ${whatDecides(queries, additionalQueries)}` : '');

/** `95 %` of a level of .05. */
export const percentOf = (level: number): string => `${Math.round((1 - level) * 100)} %`;

const whatDecides = (queries: number, additional: number): string =>
  queries < MIN_QUERIES
    ? `at least ${MIN_QUERIES} queries are needed, probably ${queries + additional}`
    : `about ${additional} more queries would probably decide it`;
