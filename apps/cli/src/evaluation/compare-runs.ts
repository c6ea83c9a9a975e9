import { compareSides, rankByScore } from '@palimpsest/evaluation';
import type { Comparison, CompareOptions, Judgements, MeasuredSides, Measure } from '@palimpsest/evaluation';
import type { JudgementsByQuery } from './judgements-file.ts';
import { hasRelevant } from './judgements-file.ts';
import type { Run } from './trec-run.ts';

/** One query, by the first measure. */
export type QueryDifference = Readonly<{ query: string; before: number; after: number; difference: number }>;

export type RunComparison = Comparison &
  Readonly<{
    /** Judged queries for which a run has no line. They count as 0, as with `trec_eval -c`. */
    withoutResults: Readonly<{ before: number; after: number }>;
    /** The largest losses and gains by the first measure, at most five each. */
    worst: readonly QueryDifference[];
    best: readonly QueryDifference[];
  }>;

const SHOWN = 5;

/**
 * Compares two runs over every query that has a relevant document.
 * @returns `undefined` if no such query is in either run
 */
export const compareRuns = (
  judgements: JudgementsByQuery,
  runs: Readonly<{ before: Run; after: Run }>,
  measures: readonly Measure[],
  options: CompareOptions,
): RunComparison | undefined => {
  const queries = [...judgements].filter(([, ofQuery]) => hasRelevant(ofQuery)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (!queries.some(([query]) => runs.before.has(query) || runs.after.has(query))) return undefined;
  const [before, after] = [measured(queries, runs.before, measures), measured(queries, runs.after, measures)];
  const sides = measures.map(({ name }, at): MeasuredSides => ({ measure: name, before: before[at] ?? [], after: after[at] ?? [] }));
  const differences = differencesOf(queries, sides[0]);
  const missing = (run: Run): number => queries.filter(([query]) => !run.has(query)).length;
  return {
    ...compareSides(sides, options),
    withoutResults: { before: missing(runs.before), after: missing(runs.after) },
    worst: differences.filter(({ difference }) => difference < 0).slice(0, SHOWN),
    best: differences
      .filter(({ difference }) => difference > 0)
      .slice(-SHOWN)
      .reverse(),
  };
};

type JudgedQuery = readonly [query: string, judgements: Judgements];

/** The values of each measure, by query. */
const measured = (queries: readonly JudgedQuery[], run: Run, measures: readonly Measure[]): readonly (readonly number[])[] => {
  const rankings = queries.map(([query]) => rankByScore(run.get(query) ?? []));
  return measures.map(({ of }) => queries.map(([, judgements], at) => of(rankings[at] ?? [], judgements)));
};

/** Worst first; equal ones by query id. */
const differencesOf = (queries: readonly JudgedQuery[], sides: MeasuredSides | undefined): readonly QueryDifference[] =>
  queries
    .map(([query], at) => {
      const [before, after] = [sides?.before[at] ?? 0, sides?.after[at] ?? 0];
      return { query, before, after, difference: after - before };
    })
    .sort((a, b) => a.difference - b.difference);
