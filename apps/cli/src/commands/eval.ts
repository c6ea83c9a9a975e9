import type { PalimpsestClient, Strategy } from '@palimpsest/client';
import { resolve } from 'node:path';
import type { AddCommand } from '../action.ts';
import { readTestSet } from '../evaluation/beir-folder.ts';
import type { TestSet } from '../evaluation/beir-folder.ts';
import { metricsOf, runQueries } from '../evaluation/evaluate.ts';
import type { Metrics } from '../evaluation/evaluate.ts';
import { explanationsFile, textOfExplanations } from '../evaluation/explanations.ts';
import { textOfRun } from '../evaluation/trec-run.ts';
import { EXIT, UsageError } from '../failure.ts';
import { collect, parallel } from '../options.ts';
import type { Session } from '../session.ts';
import { checkNewFiles, writeNewFile } from '../write-new-file.ts';
import { addChunking } from './eval-chunking.ts';
import { addCompare } from './eval-compare.ts';
import { prepareCorpus, withBar } from './prepare-corpus.ts';
import type { Prepared } from './prepare-corpus.ts';
import { COMMON_STRATEGIES, STRATEGIES } from './search-options.ts';

type EvalOptions = Readonly<{ strategy?: readonly Strategy[]; chunked?: boolean; concurrency: number; run?: string; explain?: boolean }>;

/** A document of a test set is one passage. As a single chunk, its figures are comparable with published ones. */
const SINGLE_CHUNK = { tokens: { maxTokens: 8_000, overlap: 0, minTokens: 0 } };
type Row = Readonly<{ strategy: Strategy }> & Metrics;

export const addEval: AddCommand = (program, asAction) => {
  const evalCommand = program
    .command('eval')
    .description('Measure retrieval on a test set in BEIR layout.')
    .argument('<folder>', 'folder with corpus.jsonl, queries.jsonl and qrels/test.tsv, each plain or .gz')
    .option(
      '--strategy <name>',
      `only this strategy (${STRATEGIES.join(', ')}); may be repeated (default: all that need no reranker)`,
      collect,
    )
    .option('--chunked', 'use the default chunking instead of one chunk per document')
    .option('--concurrency <number>', 'number of parallel requests', parallel, 4)
    .option(
      '--run <file>',
      'write what the searches returned, as a TREC run, to a file that does not exist yet; needs exactly one --strategy',
    )
    .option('--explain', 'write <file>.explain.jsonl next to the run, too: why the first ten and the judged documents have their ranks')
    .helpCommand(false)
    // It reads its own options behind a subcommand, too.
    .hook('preSubcommand', (parent, subcommand) => {
      const shared = new Set(subcommand.options.map(({ long }) => long));
      const ignored = parent.options.find(
        (option) => !shared.has(option.long) && parent.getOptionValueSource(option.attributeName()) === 'cli',
      );
      if (ignored !== undefined) subcommand.error(`error: unknown option '${ignored.long}'`, { code: 'commander.unknownOption' });
    })
    .action(asAction(evaluate));
  addChunking(evalCommand, asAction);
  addCompare(evalCommand, asAction);
};

const evaluate = async (
  session: Session,
  { strategy = COMMON_STRATEGIES, chunked = false, concurrency, run: runFile, explain = false }: EvalOptions,
  folder: string,
): Promise<number> => {
  const { output } = session;
  if (runFile !== undefined && strategy.length !== 1) throw new UsageError('--run writes the run of one strategy: name it with --strategy');
  if (explain && runFile === undefined) throw new UsageError('--explain explains a run: name its file with --run');
  if (runFile !== undefined) checkNewFiles(filesOf(runFile, explain).map((file) => resolve(session.cwd, file)));
  const testSet = await readTestSet(resolve(session.cwd, folder));
  const client = session.connect({ retries: Number.POSITIVE_INFINITY });
  const { loaded, failed } = await prepare(session, client, testSet, { chunked, concurrency });

  const rows: Row[] = [];
  for (const each of strategy) {
    const total = testSet.queries.length;
    const run = await withBar(session, each, total, concurrency, (step) =>
      runQueries(client, testSet, loaded, { strategy: each, explain }, step),
    );
    rows.push({ strategy: each, ...metricsOf(testSet, run) });
    if (runFile !== undefined) await writeNewFile(resolve(session.cwd, runFile), textOfRun(run, each));
    if (runFile !== undefined && explain)
      await writeNewFile(resolve(session.cwd, explanationsFile(runFile)), textOfExplanations(testSet, run));
  }
  const { name, corpus, queries } = testSet;
  output.result({ testSet: name, documents: corpus.length, failed, queries: queries.length, results: rows }, () => {
    output.line(`${name}: ${corpus.length} documents (${failed} failed), ${queries.length} queries`);
    output.table(
      ['strategy', 'nDCG@10', 'recall@10', 'recall@100', 'MRR@10'],
      rows.map(({ strategy: of, ndcg10, recall10, recall100, mrr10 }) => [
        of,
        ...[ndcg10, recall10, recall100, mrr10].map((figure) => figure.toFixed(4)),
      ]),
    );
  });
  return failed > 0 ? EXIT.someFailed : EXIT.ok;
};

const filesOf = (runFile: string, explain: boolean): readonly string[] => [runFile, ...(explain ? [explanationsFile(runFile)] : [])];

/** Loads the corpus and waits until all of it is indexed. */
const prepare = (
  session: Session,
  client: PalimpsestClient,
  { name, corpus }: TestSet,
  { chunked, concurrency }: Readonly<{ chunked: boolean; concurrency: number }>,
): Promise<Prepared> => {
  const knowledgeBase = `eval-${name}`.slice(0, 54) + (chunked ? '.chunked' : '');
  const chunking = chunked ? undefined : SINGLE_CHUNK;
  return prepareCorpus(session, client, { knowledgeBase, corpus, mediaType: 'text/plain', chunking, concurrency });
};
