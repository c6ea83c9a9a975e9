import type { Candidate, ChangedQuery, ComparedRuns } from '../evaluation/compare-runs.ts';
import { conclusion, percentOf } from '../evaluation/conclusion.ts';
import type { DocumentChange } from '../evaluation/query-changes.ts';
import { stageChanges } from '../evaluation/stage-changes.ts';
import type { Output } from './output.ts';
import { signed } from './signed.ts';

/** Prints the comparison of each run, and all verdicts once more if there are several. */
export const showComparison = (output: Output, { before, candidates }: ComparedRuns): void => {
  for (const [at, candidate] of candidates.entries()) {
    if (at > 0) output.line();
    showCandidate(output, before.file, candidate);
  }
  if (candidates.length === 1) return;
  output.line();
  output.table(
    [`compared with ${before.file}`, 'verdict'],
    candidates.map(({ file, comparison }) => [file, comparison.verdict]),
  );
};

const showCandidate = (output: Output, before: string, { file, comparison }: Candidate): void => {
  const { queries, withoutResults, margin, level, seed, measures, worst, best } = comparison;
  const files = { before, after: file };
  output.line(`before: ${before}; after: ${file}; ${queries} queries, margin ${margin}, seed ${seed}`);
  for (const side of ['before', 'after'] as const)
    if (withoutResults[side] > 0) output.line(`${files[side]} has no results for ${withoutResults[side]} of them, which count as 0`);
  output.line();
  output.table(
    ['measure', 'before', 'after', 'difference', `${percentOf(level)} interval`, 'p (Holm)', 'detectable', 'verdict'],
    measures.map(({ measure, interval, adjustedP, smallestDetectableEffect, verdict, ...figures }) => [
      measure,
      ...[figures.before, figures.after].map((mean) => mean.toFixed(4)),
      signed(figures.difference),
      interval.map(signed).join(' to '),
      adjustedP.toFixed(4),
      smallestDetectableEffect.toFixed(4),
      verdict,
    ]),
  );
  output.line();
  output.line(conclusion(comparison));
  const measure = measures[0]?.measure ?? '';
  showQueries(output, `largest losses (${measure})`, worst);
  showQueries(output, `largest gains (${measure})`, best);
};

const showQueries = (output: Output, title: string, queries: readonly ChangedQuery[]): void => {
  if (queries.length === 0) return;
  output.line();
  output.table(
    [title, 'before', 'after', 'difference'],
    queries.map(({ query, before, after, difference }) => [query, before.toFixed(4), after.toFixed(4), signed(difference)]),
  );
  for (const query of queries) showChanges(output, query);
};

/** Judged documents of a query that are listed. The JSON and the report have more of them. */
const SHOWN_DOCUMENTS = 3;

const showChanges = (output: Output, { query, text, documents }: ChangedQuery): void => {
  const shown = documents.filter(({ grade }) => grade >= 1).slice(0, SHOWN_DOCUMENTS);
  if (shown.length === 0) return;
  output.line(text === undefined ? query : `${query}: ${text.replaceAll(/\s+/gu, ' ')}`);
  for (const document of shown) output.line(`  ${changeOf(document)}`);
};

/** `moon.md (grade 2): rank 1 → 4; dense 3 → 3, lexical 1 → –`. */
const changeOf = (change: DocumentChange): string => {
  const { document, grade, before, after } = change;
  const isExplained = before?.explain !== undefined && after?.explain !== undefined;
  const stages = isExplained ? stageChanges(change).map(({ stage, ...sides }) => `${stage} ${moved('–', sides.before, sides.after)}`) : [];
  return `${document} (grade ${grade}): rank ${moved('not found', before, after)}${stages.length === 0 ? '' : `; ${stages.join(', ')}`}`;
};

const moved = (missing: string, ...sides: readonly (Readonly<{ rank: number }> | undefined)[]): string =>
  sides.map((place) => place?.rank ?? missing).join(' → ');
