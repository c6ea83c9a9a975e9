import { measureNamed } from '@palimpsest/evaluation';
import type { Measure, Verdict } from '@palimpsest/evaluation';
import { resolve } from 'node:path';
import type { AddCommand } from '../action.ts';
import { compareRuns } from '../evaluation/compare-runs.ts';
import type { ComparedRuns } from '../evaluation/compare-runs.ts';
import { comparisonJunit } from '../evaluation/comparison-junit.ts';
import { comparisonReport } from '../evaluation/comparison-report.ts';
import { judgementsFrom } from '../evaluation/judgements-file.ts';
import type { JudgementsByQuery } from '../evaluation/judgements-file.ts';
import { readRun } from '../evaluation/named-run.ts';
import type { NamedRun } from '../evaluation/named-run.ts';
import { readLines } from '../evaluation/text-lines.ts';
import { EXIT, UsageError } from '../failure.ts';
import { collect, fraction, wholeNumber } from '../options.ts';
import { showComparison } from '../render/comparison.ts';
import type { Session } from '../session.ts';
import { checkNewFiles, writeNewFile } from '../write-new-file.ts';
import { compareGenerations } from './swap-evaluate.ts';

type CompareOptions = Readonly<{
  live?: string;
  qrels?: string;
  measure?: readonly string[];
  margin?: number;
  seed?: number;
  html?: string;
  junit?: string;
}>;

const DEFAULT_MEASURES = ['nDCG@10', 'R@100', 'RR@10', 'Success@10'];
/** Less than 5 % of a typical nDCG of .5 (differences below that are not noticeable: K. Spärck Jones, 1974), and decidable with a few hundred queries. */
const DEFAULT_MARGIN = 0.02;
const EXIT_OF: Readonly<Record<Verdict, number>> = { 'not worse': EXIT.ok, worse: EXIT.someFailed, undecided: EXIT.undecided };

export const addCompare: AddCommand = (evalCommand, asAction) => {
  evalCommand
    .command('compare')
    .description(
      'Decide whether TREC runs are worse than another one, without a server; or, with --live, whether the second generation of a scope is worse than the active one, by the gate of swaps. Exit codes: 0 all are not worse, 1 one is worse, 3 undecided.',
    )
    .argument('[before]', 'run to compare with, plain or .gz; <run>.explain.jsonl next to a run explains it (`eval --explain`)')
    .argument('[after...]', 'runs that may replace it; p values are corrected for all of them')
    .option('--live <scope>', 'compare the generations of this scope instead of runs; takes --seed, --html and --junit')
    .option(
      '--qrels <file>',
      'relevance judgements: qrels of TREC, whose second column is the subtopic for alpha_nDCG, or qrels/test.tsv of BEIR',
    )
    .option(
      '--measure <name>',
      `only this measure, by its name in ir_measures; may be repeated (default: ${DEFAULT_MEASURES.join(', ')})`,
      collect,
    )
    .option('--margin <number>', `loss that is accepted in each measure (default: ${DEFAULT_MARGIN})`, fraction)
    .option(
      '--seed <number>',
      'seed of the drawn permutations and samples (default: 1; with --live, derived from the log)',
      wholeNumber(0, 2 ** 32 - 1),
    )
    .option('--html <file>', 'write a report as one HTML file that does not exist yet')
    .option(
      '--junit <file>',
      'write a JUnit report to a file that does not exist yet: a test case for each run and measure; worse is a failure, undecided is skipped',
    )
    .action(asAction(compare));
};

const compare = async (
  session: Session,
  { live, qrels, ...options }: CompareOptions,
  before: string | undefined,
  after: readonly string[],
): Promise<number> => {
  const { measure, margin, seed, html, junit } = options;
  if (live !== undefined) {
    if ([before, qrels, measure, margin].some((each) => each !== undefined))
      throw new UsageError(
        'expected --live without runs, --qrels, --measure and --margin: the gate has judged queries and a margin of its own',
      );
    return compareGenerations(session, live, seed === undefined ? {} : { seed }, { html, junit });
  }
  if (before === undefined || after.length === 0) throw new UsageError('expected two runs or more, or --live <scope>');
  if (qrels === undefined) throw new UsageError('expected --qrels <file> with the judgements of the queries');
  return compareFiles(session, { ...options, qrels }, before, after);
};

const compareFiles = async (
  { cwd, output }: Session,
  {
    qrels,
    measure: names = DEFAULT_MEASURES,
    margin = DEFAULT_MARGIN,
    seed = 1,
    html,
    junit,
  }: CompareOptions & Readonly<{ qrels: string }>,
  before: string,
  after: readonly string[],
): Promise<number> => {
  const measures = [...new Set(names)].map(named);
  const twice = after.find((file, at) => after.indexOf(file) !== at);
  if (twice !== undefined) throw new UsageError(`expected each run once after ${before}, got ${twice} again`);
  checkNewFiles([html, junit].flatMap((file) => (file === undefined ? [] : [resolve(cwd, file)])));

  const judgements = judgementsFrom(await readLines(resolve(cwd, qrels), qrels));
  checkSubtopics(measures, judgements, qrels);
  const runs: { before: NamedRun; after: NamedRun[] } = { before: await readRun(cwd, before), after: [] };
  for (const file of after) runs.after.push(await readRun(cwd, file));
  const compared = compareRuns(judgements, runs, measures, { margin, seed });
  if (compared === undefined)
    throw new UsageError(
      `expected queries with a relevant document in ${qrels} that are in ${[before, ...after].join(' or ')}, found none`,
    );

  if (html !== undefined) await writeNewFile(resolve(cwd, html), comparisonReport(compared, { qrels, judgements }));
  if (junit !== undefined) await writeNewFile(resolve(cwd, junit), comparisonJunit(compared, qrels));
  output.result(jsonOf(compared), () => showComparison(output, compared));
  for (const file of [html, junit]) if (file !== undefined) output.note(`report written to ${file}`);
  return EXIT_OF[compared.verdict];
};

/** Of one run its comparison; of several a list of such comparisons. */
const jsonOf = ({ before, verdict, candidates }: ComparedRuns) => {
  const runs = candidates.map(({ file, comparison }) => ({ before: before.file, after: file, ...comparison }));
  return runs.length === 1 ? runs[0] : { before: before.file, verdict, runs };
};

const named = (name: string): Measure => {
  try {
    return measureNamed(name);
  } catch (error) {
    throw error instanceof RangeError ? new UsageError(error.message) : error;
  }
};

/** Without subtopics, the measure would be a figure that looks like diversity and is none. */
const checkSubtopics = (measures: readonly Measure[], judgements: JudgementsByQuery, qrels: string): void => {
  const measure = measures.find(({ usesSubtopics }) => usesSubtopics);
  if (measure !== undefined && ![...judgements.values()].some(({ subtopics }) => subtopics.size > 1))
    throw new UsageError(
      `measure ${measure.name}: expected judgements with subtopics (query subtopic document grade) in ${qrels}, found no query with more than one`,
    );
};
