import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { ProblemError, type GoldenQueryLine, type GoldenQueryView, type GoldenSetView } from '@palimpsest/client';
import { placeOf, type GoldenFile } from '@palimpsest/client/golden-files';
import type { AddCommand } from '../action.ts';
import { EXIT, UsageError } from '../failure.ts';
import { readGolden } from '../golden/read-files.ts';
import { writeBeirFolder, writeCsvFile } from '../golden/write-files.ts';
import { anyLength, wholeNumber } from '../options.ts';
import { noteMore } from '../render/more.ts';
import type { Session } from '../session.ts';

const PAGE = 500;
const EXPECTED = [
  '--expected-version <n>',
  'refuse if the set has another version; 0: refuse if it exists',
  wholeNumber(0, 999_999_999),
] as const;

export const addGolden: AddCommand = (program, asAction) => {
  const golden = program
    .command('golden')
    .description('Golden queries of a scope: queries with judged documents, for the evaluation of changes.');
  const withScope = (name: string, description: string) =>
    golden.command(name).description(description).argument('<scope>', 'deployment, platform, team:<id>, user:<id>');
  const withSet = (name: string, description: string) => withScope(name, description).argument('<set>', 'name of the set');
  withScope('list', 'List the golden sets of a scope.').action(asAction(list));
  withSet('show', 'Show the queries of a set with their judgements.')
    .option('--limit <number>', 'number of queries', anyLength, 20)
    .action(asAction(show));
  withSet('import', 'Import a version of a set. It replaces all queries of the version before.')
    .argument(
      '<path>',
      'folder with queries.jsonl and qrels/*.tsv (BEIR), or a .csv file with the heading query,source,grade[,id][,synthetic][,knowledgeBase]',
    )
    .option('--knowledge-base <id>', 'knowledge base of the judged sources; needed if the scope has several')
    .option('--synthetic', 'mark all queries as written by a model')
    .option(...EXPECTED)
    .action(asAction(importSet));
  withSet('export', 'Write the queries of a set to a new folder in BEIR layout, or to a new .csv file.')
    .argument('<path>', 'folder, or file that ends with .csv')
    .action(asAction(exportSet));
  withSet('remove', 'Remove a set.')
    .option(...EXPECTED)
    .action(asAction(remove));
};

const list = async ({ output, signal, connect }: Session, _options: unknown, scope: string): Promise<number> => {
  const sets = await connect().golden.list(scope, { signal });
  output.result({ sets }, () => {
    output.table(
      ['set', 'version', 'queries', 'synthetic', 'judgements', 'missing documents', 'imported'],
      sets.map(({ set, version, queries, synthetic, judgements, missing, importedAt }) => [
        set,
        version,
        queries,
        synthetic,
        judgements,
        missing,
        importedAt,
      ]),
    );
  });
  return EXIT.ok;
};

const show = async (
  { output, signal, connect }: Session,
  { limit }: Readonly<{ limit: number }>,
  scope: string,
  set: string,
): Promise<number> => {
  const { golden } = connect();
  let page = await golden.get({ scope, set }, { limit: Math.min(limit, PAGE), signal });
  const items = [...page.items];
  while (page.next !== undefined && items.length < limit) {
    page = await golden.get({ scope, set }, { limit: Math.min(limit - items.length, PAGE), cursor: page.next, signal });
    items.push(...page.items);
  }
  output.result({ ...page, items }, () => {
    output.line(summaryOf(page));
    for (const line of items.flatMap(linesOf)) output.line(line);
    noteMore(output, { shown: items.length, total: page.queries, what: 'queries' });
  });
  return EXIT.ok;
};

const summaryOf = ({ set, version, queries, synthetic, judgements, missing }: GoldenSetView): string =>
  `${set} version ${version}: ${queries} queries (${synthetic} synthetic), ${judgements} judgements` +
  (missing === 0 ? '' : `, ${missing} of documents that do not exist`);

const linesOf = ({ id, text, synthetic, judgements }: GoldenQueryView): readonly string[] => [
  `${id}${synthetic ? ' (synthetic)' : ''}: ${text}`,
  ...judgements.map(
    ({ grade, source, documentId, missing }) =>
      `  ${String(grade).padStart(4)}  ${source ?? documentId}${missing ? ' (does not exist)' : ''}`,
  ),
];

type ImportOptions = Readonly<{ knowledgeBase?: string; synthetic?: true; expectedVersion?: number }>;

const importSet = async (
  { output, signal, cwd, connect }: Session,
  { synthetic, ...options }: ImportOptions,
  ...[scope, set, path]: readonly [scope: string, set: string, path: string]
): Promise<number> => {
  const file = await readGolden(resolve(cwd, path));
  const { leftOut } = file;
  const queries = file.queries.map(({ query }) => (synthetic === undefined ? query : { ...query, synthetic }));
  const done = await connect()
    .golden.import({ scope, set }, queries, { ...options, signal })
    .catch((error: unknown) => {
      throw placed(error, file);
    });
  output.result({ ...done, leftOut }, () => {
    output.line(`${done.changed ? 'imported' : 'unchanged:'} ${summaryOf(done)}`);
    if (leftOut > 0) output.line(`${leftOut} queries without judgements were left out`);
  });
  return EXIT.ok;
};

/** The server counts the queries; the user knows the lines of the file. */
const placed = (error: unknown, file: GoldenFile): unknown => {
  if (!(error instanceof ProblemError) || error.code !== 'InvalidValue') return error;
  const place = placeOf(file, error.field ?? '');
  const hint = place?.field === 'knowledgeBase' ? '; name it with --knowledge-base' : '';
  return place === undefined
    ? error
    : new UsageError(`${place.file} line ${place.line}, ${place.field}: expected ${error.expected ?? 'another value'}${hint}`);
};

const exportSet = async (
  { output, signal, cwd, connect }: Session,
  _options: unknown,
  ...[scope, set, target]: readonly [scope: string, set: string, target: string]
): Promise<number> => {
  const path = resolve(cwd, target);
  if (existsSync(path)) throw new UsageError(`${path} already exists`);
  const queries: GoldenQueryLine[] = [];
  for await (const query of connect().golden.export({ scope, set }, { signal })) queries.push(query);
  await (path.endsWith('.csv') ? writeCsvFile(path, queries) : writeBeirFolder(path, queries));
  const judgements = queries.reduce((sum, query) => sum + query.judgements.length, 0);
  output.result({ path, set, queries: queries.length, judgements }, () =>
    output.line(`exported ${set}: ${queries.length} queries, ${judgements} judgements to ${target}`),
  );
  return EXIT.ok;
};

const remove = async (
  { output, signal, connect }: Session,
  options: Readonly<{ expectedVersion?: number }>,
  scope: string,
  set: string,
): Promise<number> => {
  await connect().golden.remove({ scope, set }, { ...options, signal });
  output.result({ removed: set }, () => output.line(`removed ${set}`));
  return EXIT.ok;
};
