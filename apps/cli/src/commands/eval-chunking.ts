import type { PalimpsestClient, Strategy } from '@palimpsest/client';
import { REQUEST_LIMITS } from '@palimpsest/client';
import type { DescribedMean } from '@palimpsest/evaluation';
import { InvalidArgumentError, Option } from 'commander';
import { resolve } from 'node:path';
import type { AddCommand } from '../action.ts';
import { readChunkingSet } from '../evaluation/chunking-folder.ts';
import type { ChunkingSet } from '../evaluation/chunking-folder.ts';
import { CHUNKER_NAMES, chunkingsFrom } from '../evaluation/chunkings.ts';
import type { ChunkingOptions, ChunkingToTry, Size } from '../evaluation/chunkings.ts';
import { figuresOfCut, figuresOfSearch, LEVEL, readCut, SEED } from '../evaluation/evaluate-chunking.ts';
import type { CutFigures, StrategyFigures } from '../evaluation/evaluate-chunking.ts';
import { EXIT } from '../failure.ts';
import { collect, parallel, wholeNumber } from '../options.ts';
import type { Output } from '../render/output.ts';
import type { Session } from '../session.ts';
import { ensureKnowledgeBase } from './ingest.ts';
import { prepareCorpus, scopeOf, withBar } from './prepare-corpus.ts';
import { COMMON_STRATEGIES, STRATEGIES } from './search-options.ts';

/** Options that `eval` has, too. */
type Shared = Readonly<{ strategy?: readonly Strategy[]; concurrency: number }>;
type Options = ChunkingOptions & Shared & Readonly<{ top: number }>;
type Result = Readonly<{ knowledgeBase: string; chunking: ChunkingToTry['settings'] }> &
  CutFigures &
  Readonly<{ strategies: readonly StrategyFigures[] }>;

/** More than a search returns, and than a chunk may have; the server says which numbers it accepts. */
const ANY = 1_000_000;

const collectSizes = (raw: string, before: readonly Size[] = []): readonly Size[] => {
  if (raw === 'default') return [...before, raw];
  try {
    return [...before, wholeNumber(1, ANY)(raw)];
  } catch {
    throw new InvalidArgumentError('Must be "default" or a whole number above 0.');
  }
};

const collectNumbers = (raw: string, before: readonly number[] = []): readonly number[] => [...before, wholeNumber(0, ANY)(raw)];

export const addChunking: AddCommand = (evalCommand, asAction) => {
  evalCommand
    .command('chunking')
    .description(
      'Measure how well chunkers and sizes cut texts for retrieval. Each chunking gets a knowledge base, which later runs use again.',
    )
    .argument('<folder>', 'folder with texts (<name>.md) and questions.jsonl, each plain or .gz')
    .addOption(
      new Option('--chunker <name>', 'chunker; "tokens" takes the texts as plain text, "markdown" as Markdown')
        .choices(CHUNKER_NAMES)
        .default('tokens'),
    )
    .option(
      '--size <number>',
      'largest chunk, in tokens of the model or, for "markdown", in characters; or "default", which follows from the model; may be repeated',
      collectSizes,
    )
    .option(
      '--overlap <number>',
      'tokens that neighbours share, at most a quarter of the size; may be repeated: each with each size',
      collectNumbers,
    )
    .option('--min-tokens <number>', 'smallest last chunk of a text (default: a fifth of the size)', wholeNumber(0, ANY))
    .option('--top <number>', 'number of results of each search', wholeNumber(1, REQUEST_LIMITS.topK.max), 5)
    .option(
      '--strategy <name>',
      `only this strategy (${STRATEGIES.join(', ')}); may be repeated (default: all that need no reranker)`,
      collect,
    )
    .option('--concurrency <number>', 'number of parallel requests', parallel, 4)
    .action(
      asAction((session, options: Options, folder: string) => {
        // Commander gives a command the options that it knows, also those after the name of its subcommand.
        const { strategy, concurrency } = evalCommand.opts<Shared>();
        return evaluateChunking(session, { ...options, concurrency, ...(strategy && { strategy }) }, folder);
      }),
    );
};

const evaluateChunking = async (session: Session, options: Options, folder: string): Promise<number> => {
  const chunkings = chunkingsFrom(options);
  const set = await readChunkingSet(resolve(session.cwd, folder));
  const client = session.connect({ retries: Number.POSITIVE_INFINITY });
  // All of them first: the server refuses wrong numbers before anything is embedded.
  for (const each of chunkings) {
    const knowledgeBase = knowledgeBaseOf(set, each);
    await ensureKnowledgeBase(client, { knowledgeBase, scope: scopeOf(knowledgeBase), chunking: each.settings }, session.signal);
  }
  const results: Result[] = [];
  for (const each of chunkings) results.push(await evaluateOne(session, client, set, each, options));

  const { name: testSet, texts, questions } = set;
  const references = questions.reduce((sum, question) => sum + question.references.length, 0);
  const { top } = options;
  const summary = { testSet, texts: texts.length, questions: questions.length, references, top, level: LEVEL, seed: SEED, results };
  session.output.result(summary, () => {
    session.output.line(`${testSet}: ${texts.length} texts, ${questions.length} questions, ${references} references, ${top} results each`);
    printResults(session.output, chunkings, results);
  });
  return EXIT.ok;
};

const knowledgeBaseOf = ({ name }: ChunkingSet, { suffix }: ChunkingToTry): string => `chunks-${name}`.slice(0, 40) + `.${suffix}`;

const evaluateOne = async (
  session: Session,
  client: PalimpsestClient,
  set: ChunkingSet,
  chunking: ChunkingToTry,
  { top, strategy: strategies = COMMON_STRATEGIES, concurrency }: Options,
): Promise<Result> => {
  const knowledgeBase = knowledgeBaseOf(set, chunking);
  const { mediaType, settings } = chunking;
  const label = `${chunking.label}: `;
  const { loaded } = await prepareCorpus(session, client, {
    ...{ knowledgeBase, mediaType, corpus: set.texts, chunking: settings, concurrency, label },
  });
  const cut = await withBar(session, `${label}chunks of`, set.texts.length, concurrency, (step) => readCut(client, set, loaded, step));
  const searched: StrategyFigures[] = [];
  for (const strategy of strategies)
    searched.push(
      await withBar(session, `${label}${strategy}`, set.questions.length, concurrency, (step) =>
        figuresOfSearch(client, set, cut, { strategy, top }, step),
      ),
    );
  return { knowledgeBase, chunking: settings, ...figuresOfCut(set, cut), strategies: searched };
};

const printResults = (output: Output, chunkings: readonly ChunkingToTry[], results: readonly Result[]): void => {
  const rows = results.flatMap((result, at) =>
    result.strategies.map((searched) => ({ label: chunkings[at]?.label ?? '', result, searched })),
  );
  const columns = ['recall', 'precision', 'IoU', 'precision Ω'];
  const cells = (
    result: Result,
    { recall, precision, iou }: StrategyFigures,
    shown: (figure: DescribedMean) => string,
  ): readonly string[] => [recall, precision, iou, result.precisionOmega].map(shown);
  output.table(
    ['chunking', 'chunks', 'length', 'strategy', ...columns],
    rows.map(({ label, result, searched }) => [
      ...[label, result.chunks, Math.round(result.chunkLength), searched.strategy],
      ...cells(result, searched, ({ mean, deviation }) => `${mean.toFixed(3)} ± ${deviation.toFixed(3)}`),
    ]),
  );
  output.line();
  output.line(`intervals of the means (${(1 - LEVEL) * 100} %)`);
  output.table(
    ['chunking', 'strategy', ...columns],
    rows.map(({ label, result, searched }) => [
      ...[label, searched.strategy],
      ...cells(result, searched, ({ interval: [low, high] }) => `${low.toFixed(3)} to ${high.toFixed(3)}`),
    ]),
  );
  for (const { label, result, searched } of rows)
    if (result.chunksWithoutPlace > 0 || searched.hitsWithoutPlace > 0)
      output.line(
        `${label}, ${searched.strategy}: ${result.chunksWithoutPlace} chunks and ${searched.hitsWithoutPlace} results have no certain place in the texts; they count as read, but as not found`,
      );
};
