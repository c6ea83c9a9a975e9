import { resolve } from 'node:path';
import { describeFloors, type EvaluationOptions, type EvaluationView } from '@palimpsest/client';
import type { Command } from 'commander';
import type { AsAction } from '../action.ts';
import { evaluationJunit } from '../evaluation/evaluation-junit.ts';
import { evaluationReport, sameModel } from '../evaluation/evaluation-report.ts';
import { pastFigures } from '../evaluation/past-figures.ts';
import { EXIT, UsageError } from '../failure.ts';
import { wholeNumber } from '../options.ts';
import type { Output } from '../render/output.ts';
import { signed } from '../render/signed.ts';
import type { Session } from '../session.ts';
import { checkNewFiles, writeNewFile } from '../write-new-file.ts';
import { followEvaluation, runLines } from './follow-evaluation.ts';

export type PastOptions = Readonly<{ pastAfter?: string | undefined; pastBefore?: string | undefined }>;
type Options = PastOptions &
  Readonly<{ queries?: number; seed?: number; synthetic?: true; report?: string; junit?: string; latest?: true; wait: boolean }>;

/** Which past queries an evaluation asks. */
export const pastQueriesOf = ({ pastAfter: after, pastBefore: before }: PastOptions): Pick<EvaluationOptions, 'pastQueries'> =>
  after === undefined && before === undefined ? {} : { pastQueries: { after, before } };

const EXIT_OF: Readonly<Record<EvaluationView['verdict'], number>> = {
  'not-worse': EXIT.ok,
  worse: EXIT.someFailed,
  undecided: EXIT.undecided,
};
const SHOWN = 5;
const SHOWN_CHARACTERS = 70;

export const addEvaluate = (withScope: (name: string, description: string) => Command, asAction: AsAction): void => {
  withScope(
    'evaluate',
    'Compare the new generation with the active one, and record the verdict. Exit codes: 0 not worse, 1 worse, 3 undecided.',
  )
    .option('--queries <number>', 'maximum number of queries of each kind (default: a setting of the server)', wholeNumber(1, 10_000))
    .option('--seed <number>', 'seed of all samples (default: derived from the log)', wholeNumber(0, 2 ** 32 - 1))
    .option('--synthetic', 'use judged queries that a model wrote, too')
    .option('--past-after <moment>', 'ask only past queries after a position or time (default: the newest)')
    .option('--past-before <moment>', 'ask only past queries before a position or time')
    .option('--report <file>', 'write a report as one HTML file that does not exist yet')
    .option(
      '--junit <file>',
      'write the verdict as a JUnit report to a file that does not exist yet: worse is a failure, undecided is skipped',
    )
    .option('--latest', 'show the latest evaluation instead of a new one')
    .option('--no-wait', 'only start it; `swap status` shows its progress, and --latest its result')
    .action(asAction(evaluate));
};

const evaluate = async (
  session: Session,
  { report, junit, latest, wait, pastAfter, pastBefore, ...options }: Options,
  scope: string,
): Promise<number> => {
  const { output, signal, connect } = session;
  const asked = { ...options, ...pastQueriesOf({ pastAfter, pastBefore }) };
  if (wait) return compareGenerations(session, scope, latest === true ? 'latest' : asked, { html: report, junit });
  if (report !== undefined || junit !== undefined || latest === true)
    throw new UsageError('expected --no-wait without --report, --junit and --latest');
  const started = await connect().swaps.startEvaluation(scope, asked, { signal });
  output.result(started, () => runLines(started.evaluationRun).forEach((line) => output.line(line)));
  return EXIT.ok;
};

type Reports = Readonly<{ html?: string | undefined; junit?: string | undefined }>;

/**
 * Has the server compare the second generation of a scope with the active one, or takes its latest comparison; shows the result and writes the
 * reports. Interrupting the command does not stop the server's work.
 * @returns the exit code
 */
export const compareGenerations = async (
  session: Session,
  scope: string,
  asked: EvaluationOptions | 'latest',
  { html, junit }: Reports,
): Promise<number> => {
  const { output, signal, cwd, connect } = session;
  const files = [html, junit].filter((file) => file !== undefined);
  checkNewFiles(files.map((file) => resolve(cwd, file)));
  const client = connect();
  const evaluation =
    asked === 'latest'
      ? await client.swaps.evaluation(scope, { signal })
      : await followEvaluation(session, client, await client.swaps.startEvaluation(scope, asked, { signal }));
  if (html !== undefined) await writeNewFile(resolve(cwd, html), evaluationReport(evaluation));
  if (junit !== undefined) await writeNewFile(resolve(cwd, junit), evaluationJunit(evaluation));
  output.result(evaluation, () => render(output, evaluation));
  for (const file of files) output.note(`report written to ${file}`);
  return EXIT_OF[evaluation.verdict];
};

const render = (output: Output, evaluation: EvaluationView): void => {
  const {
    scope,
    generation,
    against,
    verdict,
    reasons,
    measures,
    coverage,
    spotCheck,
    canaryStrings,
    latency,
    agreement,
    past,
    scoreFloors,
    worst,
    best,
  } = evaluation;
  output.line(`${scope}: ${generation} compared with ${against}: ${verdict}`);
  for (const reason of reasons) output.line(`  ${reason}`);
  output.line();
  output.table(
    ['queries', 'measure', 'before', 'after', 'difference', '95 % interval', 'better', 'worse', 'verdict'],
    measures.map((each) => [
      `${each.queries} ${each.source}`,
      each.measure,
      each.before.toFixed(4),
      each.after.toFixed(4),
      signed(each.difference),
      each.interval.map(signed).join(' to '),
      each.better,
      each.worse,
      each.verdict,
    ]),
  );
  output.line(
    `coverage    ${coverage.chunks} chunks, ${coverage.refused} refused by the model, ${coverage.unexplained} without a vector or a reason`,
  );
  output.line(`spot check  ${spotCheck.checked} chunks embedded again, ${spotCheck.mismatched} with another vector`);
  if (canaryStrings) output.line(`model       ${sameModel(canaryStrings)}`);
  if (latency)
    output.line(`latency     p50 ${latency.before.p50} → ${latency.after.p50} ms, p95 ${latency.before.p95} → ${latency.after.p95} ms`);
  if (agreement) output.line(`agreement   overlap@10 ${agreement.overlap.toFixed(3)}, RBO ${agreement.rbo.toFixed(3)}`);
  if (past) output.line(`past        ${pastFigures(past)}`);
  showFloors(output, scoreFloors);
  show(output, 'largest losses', worst);
  show(output, 'largest gains', best);
};

const showFloors = (output: Output, scoreFloors: EvaluationView['scoreFloors']): void => {
  const floors = describeFloors(scoreFloors);
  if (floors === undefined) return;
  output.line();
  output.line(`score floors: the minScore that keeps the same share of results, by ${floors.basis}`);
  output.table(
    ['old model', 'new model', 'results kept'],
    floors.rows.map(({ before, after, kept, isRough }) => [before, after, isRough ? `${kept}, rough` : kept]),
  );
  if (floors.note !== undefined) output.line(floors.note);
};

const show = (output: Output, title: string, queries: EvaluationView['worst']): void => {
  if (queries.length === 0) return;
  output.line();
  output.table(
    [title, 'before', 'after'],
    queries.slice(0, SHOWN).map(({ name, text = name, before, after }) => [shortened(text), before.toFixed(4), after.toFixed(4)]),
  );
};

const shortened = (text: string): string => {
  const line = text.replaceAll(/\s+/gu, ' ');
  return line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS)}…` : line;
};
