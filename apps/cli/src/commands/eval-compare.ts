import { MIN_QUERIES, measureNamed } from '@palimpsest/evaluation';
import type { Measure, Verdict } from '@palimpsest/evaluation';
import { resolve } from 'node:path';
import type { AddCommand } from '../action.ts';
import { compareRuns } from '../evaluation/compare-runs.ts';
import type { QueryDifference, RunComparison } from '../evaluation/compare-runs.ts';
import { judgementsFrom } from '../evaluation/judgements-file.ts';
import { readLines } from '../evaluation/text-lines.ts';
import { runFrom } from '../evaluation/trec-run.ts';
import { EXIT, UsageError } from '../failure.ts';
import { collect, fraction, wholeNumber } from '../options.ts';
import type { Output } from '../render/output.ts';
import type { Session } from '../session.ts';

type CompareOptions = Readonly<{ qrels: string; measure?: readonly string[]; margin: number; seed: number }>;

const DEFAULT_MEASURES = ['nDCG@10', 'R@100', 'RR@10', 'Success@10'];
/** Less than 5 % of a typical nDCG of .5 (differences below that are not noticeable: K. Spärck Jones, 1974), and decidable with a few hundred queries. */
const DEFAULT_MARGIN = 0.02;
const EXIT_OF: Readonly<Record<Verdict, number>> = { 'not worse': EXIT.ok, worse: EXIT.someFailed, undecided: EXIT.undecided };

export const addCompare: AddCommand = (evalCommand, asAction) => {
  evalCommand
    .command('compare')
    .description('Decide whether one TREC run is worse than another. Needs no server. Exit codes: 0 not worse, 1 worse, 3 undecided.')
    .argument('<before>', 'run to compare with, plain or .gz')
    .argument('<after>', 'run that may replace it')
    .requiredOption('--qrels <file>', 'relevance judgements: qrels of TREC, or qrels/test.tsv of BEIR')
    .option(
      '--measure <name>',
      `only this measure, by its name in ir_measures; may be repeated (default: ${DEFAULT_MEASURES.join(', ')})`,
      collect,
    )
    .option('--margin <number>', 'loss that is accepted in each measure', fraction, DEFAULT_MARGIN)
    .option('--seed <number>', 'seed of the drawn permutations and samples', wholeNumber(0, 2 ** 32 - 1), 1)
    .action(asAction(compare));
};

const compare = async (
  { cwd, output }: Session,
  { qrels, measure: names = DEFAULT_MEASURES, margin, seed }: CompareOptions,
  before: string,
  after: string,
): Promise<number> => {
  const measures = [...new Set(names)].map(named);
  const read = (file: string) => readLines(resolve(cwd, file), file);
  const judgements = judgementsFrom(await read(qrels));
  const runs = { before: runFrom(await read(before)), after: runFrom(await read(after)) };
  const comparison = compareRuns(judgements, runs, measures, { margin, seed });
  if (comparison === undefined)
    throw new UsageError(`expected queries with a relevant document in ${qrels} that are in ${before} or ${after}, found none`);

  output.result({ before, after, ...comparison }, () => render(output, { before, after }, comparison));
  return EXIT_OF[comparison.verdict];
};

const named = (name: string): Measure => {
  try {
    return measureNamed(name);
  } catch (error) {
    throw error instanceof RangeError ? new UsageError(error.message) : error;
  }
};

const render = (output: Output, files: Readonly<{ before: string; after: string }>, comparison: RunComparison): void => {
  const { queries, withoutResults, margin, level, seed, measures, worst, best } = comparison;
  output.line(`before: ${files.before}; after: ${files.after}; ${queries} queries, margin ${margin}, seed ${seed}`);
  for (const side of ['before', 'after'] as const)
    if (withoutResults[side] > 0) output.line(`${files[side]} has no results for ${withoutResults[side]} of them, which count as 0`);
  output.line();
  output.table(
    ['measure', 'before', 'after', 'difference', `${Math.round((1 - level) * 100)} % interval`, 'p (Holm)', 'detectable', 'verdict'],
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

const conclusion = ({ verdict, queries, margin, measures, additionalQueries = 0, unseenShare }: RunComparison): string => {
  if (verdict === 'not worse')
    return `not worse: no measure loses more than ${margin}. Up to ${(unseenShare * 100).toFixed(1)} % of all queries could differ without one of them being among these.`;
  if (verdict === 'worse')
    return `worse: ${measures
      .filter((each) => each.verdict === 'worse')
      .map(({ measure, difference }) => `${measure} ${signed(difference)}`)
      .join(', ')}`;
  return queries < MIN_QUERIES
    ? `undecided: at least ${MIN_QUERIES} queries are needed, probably ${queries + additionalQueries}`
    : `undecided: about ${additionalQueries} more queries would probably decide it`;
};

const showQueries = (output: Output, title: string, queries: readonly QueryDifference[]): void => {
  if (queries.length === 0) return;
  output.line();
  output.table(
    [title, 'before', 'after', 'difference'],
    queries.map(({ query, before, after, difference }) => [query, before.toFixed(4), after.toFixed(4), signed(difference)]),
  );
};

/** Four digits with a sign; 0 has none. */
const signed = (value: number): string => `${value > 0 ? '+' : ''}${value.toFixed(4)}`;
