import type { KnowledgeBaseStrategy, Strategy, StrategyInUse } from '@palimpsest/client';
import { Argument } from 'commander';
import type { AddCommand } from '../action.ts';
import { EXIT, UsageError } from '../failure.ts';
import { wholeNumber } from '../options.ts';
import type { Output } from '../render/output.ts';
import { signed } from '../render/signed.ts';
import type { Session } from '../session.ts';
import { STRATEGIES } from './search-options.ts';

type Evaluation = NonNullable<KnowledgeBaseStrategy['evaluation']>;
type EvaluateOptions = Readonly<{ queries?: number; seed?: number; synthetic?: true }>;
type SetOptions = Readonly<{ force?: true; reason?: string }>;

const EXIT_OF: Readonly<Record<Evaluation['verdict'], number>> = {
  'not-worse': EXIT.ok,
  worse: EXIT.someFailed,
  undecided: EXIT.undecided,
};

export const addStrategy: AddCommand = (program, asAction) => {
  const group = program.command('strategy').description('Choose how searches of a knowledge base that name no strategy find passages.');
  const withBase = (name: string, description: string) =>
    group.command(name).description(description).argument('<knowledge-base>', 'its id');
  const strategy = () => new Argument('<strategy>').choices(STRATEGIES);
  withBase('show', 'Show the default strategy, and its latest evaluation.').action(asAction(show));
  withBase(
    'evaluate',
    'Compare a strategy with the one in use on the judged queries, and record the verdict. Exit codes: 0 not worse, 1 worse, 3 undecided.',
  )
    .addArgument(strategy())
    .option('--queries <number>', 'maximum number of queries (default: a setting of the server)', wholeNumber(1, 10_000))
    .option('--seed <number>', 'seed of the sample of queries (default: derived from the log)', wholeNumber(0, 2 ** 32 - 1))
    .option('--synthetic', 'use judged queries that a model wrote, too')
    .action(asAction(evaluate));
  withBase('set', 'Let searches use a strategy that was evaluated as not worse.')
    .addArgument(strategy())
    .option('--force', 'although no evaluation found that it is not worse; needs --reason')
    .option('--reason <text>', 'why it is forced; recorded in the audit trail')
    .action(asAction(set));
};

const show = async (session: Session, _options: unknown, knowledgeBase: string): Promise<number> => {
  const { output, signal } = session;
  const shown = await session.connect().strategies.get(knowledgeBase, { signal });
  output.result(shown, () => render(output, shown));
  return EXIT.ok;
};

const evaluate = async (session: Session, options: EvaluateOptions, knowledgeBase: string, strategy: Strategy): Promise<number> => {
  const { output, signal } = session;
  const shown = await session.connect().strategies.evaluate(knowledgeBase, strategy, options, { signal });
  output.result(shown, () => render(output, shown));
  return shown.evaluation === undefined ? EXIT.undecided : EXIT_OF[shown.evaluation.verdict];
};

const set = async (session: Session, { force, reason }: SetOptions, knowledgeBase: string, strategy: Strategy): Promise<number> => {
  const { output, signal } = session;
  if ((force === true) !== (reason !== undefined)) throw new UsageError('--force and --reason need each other');
  const shown = await session.connect().strategies.set(knowledgeBase, strategy, reason, { signal });
  output.result(shown, () => output.line(`searches of ${knowledgeBase} use ${nameOf(shown.used)}`));
  return EXIT.ok;
};

const render = (output: Output, { knowledgeBase, used, detail, evaluation }: KnowledgeBaseStrategy): void => {
  output.line(`${knowledgeBase}: ${nameOf(used)}`);
  if (detail !== undefined) output.line(`  ${detail}`);
  if (evaluation === undefined) return;
  const { verdict, reasons, against, measure, latency, reranked, unsettled } = evaluation;
  output.line();
  output.line(`${nameOf(evaluation)} compared with ${nameOf(against)}: ${verdict}`);
  for (const reason of reasons) output.line(`  ${reason}`);
  if (measure) {
    const { queries, before, after, difference, interval, better, worse } = measure;
    output.line();
    output.table(
      ['queries', 'measure', 'before', 'after', 'difference', '95 % interval', 'better', 'worse'],
      [
        [
          queries,
          measure.measure,
          before.toFixed(4),
          after.toFixed(4),
          signed(difference),
          interval.map(signed).join(' to '),
          better,
          worse,
        ],
      ],
    );
  }
  if (latency)
    output.line(`latency   p50 ${latency.before.p50} → ${latency.after.p50} ms, p95 ${latency.before.p95} → ${latency.after.p95} ms`);
  if (reranked) output.line(`reranker  blended ${reranked.blended}, abstained ${reranked.abstained}, skipped ${reranked.skipped}`);
  if (unsettled > 0) output.line(`left out  ${unsettled} queries, since documents were indexed meanwhile`);
};

const nameOf = ({ strategy, reranker }: StrategyInUse): string =>
  reranker === undefined
    ? strategy
    : `${strategy} with ${reranker.version} (weight ${reranker.weight}, best ${reranker.candidates} results)`;
