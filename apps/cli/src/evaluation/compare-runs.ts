import { compareCandidates, overallVerdict, rankByScore } from '@palimpsest/evaluation';
import type { Comparison, CompareOptions, MeasuredSides, Measure, Verdict } from '@palimpsest/evaluation';
import type { JudgementsByQuery, QueryJudgements } from './judgements-file.ts';
import { hasRelevant } from './judgements-file.ts';
import type { NamedRun } from './named-run.ts';
import { changesOf } from './query-changes.ts';
import type { QueryChanges } from './query-changes.ts';
import type { Run } from './trec-run.ts';

/** One query, by the first measure. */
export type QueryDifference = Readonly<{ query: string; before: number; after: number; difference: number }>;

export type ChangedQuery = QueryDifference & QueryChanges;

export type RunComparison = Comparison &
  Readonly<{
    /** Judged queries for which a run has no line. They count as 0, as with `trec_eval -c`. */
    withoutResults: Readonly<{ before: number; after: number }>;
    /** The largest losses and gains by the first measure, at most five each, and the documents that caused them. */
    worst: readonly ChangedQuery[];
    best: readonly ChangedQuery[];
  }>;

/** A run that may replace the first one. `differences` are those of all queries by the first measure, worst first. */
export type Candidate = NamedRun & Readonly<{ comparison: RunComparison; differences: readonly QueryDifference[] }>;

export type ComparedRuns = Readonly<{
  before: NamedRun;
  /** The worst of the candidates' verdicts: worse, then undecided. */
  verdict: Verdict;
  candidates: readonly [Candidate, ...Candidate[]];
}>;

const SHOWN = 5;

/**
 * Compares each candidate with the run before, over every query that has a relevant document.
 * @returns `undefined` if no such query is in any run
 * @throws RangeError if there is no candidate
 */
export const compareRuns = (
  judgements: JudgementsByQuery,
  { before, after }: Readonly<{ before: NamedRun; after: readonly NamedRun[] }>,
  measures: readonly Measure[],
  options: CompareOptions,
): ComparedRuns | undefined => {
  const queries = [...judgements].filter(([, { grades }]) => hasRelevant(grades)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (!queries.some(([query]) => [before, ...after].some(({ run }) => run.has(query)))) return undefined;
  const first = measured(queries, before.run, measures);
  const sides = after.map(({ run }) => {
    const values = measured(queries, run, measures);
    return measures.map(({ name }, at): MeasuredSides => ({ measure: name, before: first[at] ?? [], after: values[at] ?? [] }));
  });
  const missing = (run: Run): number => queries.filter(([query]) => !run.has(query)).length;
  const candidates = compareCandidates(sides, options).map((comparison, at): Candidate => {
    const candidate = after[at] as NamedRun;
    const differences = differencesOf(queries, sides[at]?.[0]);
    const changed = (each: QueryDifference): ChangedQuery => {
      const ofQuery = judgements.get(each.query);
      return { ...each, ...(ofQuery ? changesOf(each.query, ofQuery, before, candidate) : { documents: [], moreDocuments: 0 }) };
    };
    return {
      ...{ ...candidate, differences },
      comparison: {
        ...comparison,
        withoutResults: { before: missing(before.run), after: missing(candidate.run) },
        worst: differences
          .filter(({ difference }) => difference < 0)
          .slice(0, SHOWN)
          .map(changed),
        best: differences
          .filter(({ difference }) => difference > 0)
          .slice(-SHOWN)
          .reverse()
          .map(changed),
      },
    };
  });
  const verdict = overallVerdict(candidates.map(({ comparison }) => comparison.verdict));
  return { before, verdict, candidates: candidates as readonly Candidate[] as ComparedRuns['candidates'] };
};

type JudgedQuery = readonly [query: string, judgements: QueryJudgements];

/** The values of each measure, by query. */
const measured = (queries: readonly JudgedQuery[], run: Run, measures: readonly Measure[]): readonly (readonly number[])[] => {
  const rankings = queries.map(([query]) => rankByScore(run.get(query) ?? []));
  return measures.map(({ of }) => queries.map(([, { grades, subtopics }], at) => of(rankings[at] ?? [], grades, [...subtopics.values()])));
};

/** Worst first; equal ones by query id. */
const differencesOf = (queries: readonly JudgedQuery[], sides: MeasuredSides | undefined): readonly QueryDifference[] =>
  queries
    .map(([query], at) => {
      const [before, after] = [sides?.before[at] ?? 0, sides?.after[at] ?? 0];
      return { query, before, after, difference: after - before };
    })
    .sort((a, b) => a.difference - b.difference);
