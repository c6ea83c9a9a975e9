/** docs/reference/cli.md, from the help of every command. */
import { GENERATED, code, fenced, page as pageOf, table } from './markdown.mjs';
import { declaredTypes } from './declared-types.mjs';
import { schemaTypes } from './schema-types.mjs';
import { inRoot } from '../setup/workspace.mjs';

/** What each command prints with --json: `Type` is a type of the HTTP API, `{ … }` is the complete shape. */
const JSON_SHAPES = {
  ingest: 'Summary',
  search: 'SearchResult',
  context: 'ContextResult',
  'documents list': '{ documents: DocumentView[] }',
  'documents show': 'DocumentDetails',
  'documents watch': 'one DocumentChange per line',
  'documents rm': '{ deleted: { documentId, position }[] }',
  'documents retry': '{ retried: SubmissionResult[] }',
  'knowledge-bases list': '{ knowledgeBases: KnowledgeBaseView[] }',
  'knowledge-bases create': 'KnowledgeBaseWritten',
  'knowledge-bases configure': 'KnowledgeBaseWritten',
  'knowledge-bases pause': 'KnowledgeBaseWritten',
  'knowledge-bases resume': 'KnowledgeBaseWritten',
  'knowledge-bases archive': 'KnowledgeBaseWritten',
  'events list': '{ events: EventView[] }; with --follow one EventView per line',
  'events show': 'EventView',
  overview: 'OverviewView',
  status: 'StatusView',
  verify: 'VerifyResult',
  rebuild: 'RebuildResult',
  reembed: 'ReembedProgress, or ReembedStarted with --no-wait or when there is nothing to do',
  'dead-letters list': '{ deadLetters: DeadLetterView[] }',
  'dead-letters retry': '{ retried: id[] }',
  'dead-letters discard': '{ discarded: id[] }',
  'keys create': 'ApiKeyCreated',
  'keys list': '{ keys: ApiKeyView[] }',
  'keys whoami': 'CallerView',
  'tenants list': '{ tenants: TenantView[] }',
  'tenants usage': 'UsageView',
  'tenants show': 'TenantView',
  'tenants set': 'TenantView',
  audit: '{ entries: AuditEntry[] }',
  'keys revoke': '{ revoked: keyId }',
  backup:
    '{ file, size, format, createdAt, by, position, parts: { streams, events, blobs, files }, missing: { count, first } }, with --check without size',
  restore: '{ data, format, createdAt, by, position, parts, missing }',
  export: '{ file, size, scope, embeddingVersion, knowledgeBases, documents, chunks }',
  import: 'ImportBegun and { imported, accepted, unchanged, kept, rejected: { source, code, detail }[] }',
  bench: '{ benchmarks: { name, measures }[] }; a single named benchmark prints its own lines',
  eval: '{ testSet, documents, failed, queries, results: { strategy, ndcg10, recall10, recall100, mrr10, queries }[] }',
};

const NO_JSON = new Set(['start']);

const environment = {
  stdout: { write: () => true },
  stderr: { write: () => true },
  cwd: '/',
  config: {},
  signal: new AbortController().signal,
};

const helpOf = (command) => command.configureHelp({ helpWidth: 110, showGlobalOptions: false }).helpInformation();

/** Every command without subcommands, with its full name. */
const leaves = (command, path = []) =>
  command.commands.length === 0
    ? [{ name: path.join(' '), command }]
    : command.commands.flatMap((each) => leaves(each, [...path, each.name()]));

const linked = (shape, types) =>
  shape.replaceAll(/\b[A-Z]\w+\b/g, (name) =>
    types.has(name) ? `[\`${name}\`](http-api.md#${name.toLowerCase()})` : name === 'Summary' ? '[`Summary`](#summary)' : name,
  );

export const page = async () => {
  const { buildProgram } = await import(inRoot('apps/cli/src/program.ts'));
  const { EXIT } = await import(inRoot('apps/cli/src/failure.ts'));
  const program = buildProgram(environment, () => undefined);
  const commands = leaves(program);
  const missing = commands.filter(({ name }) => !(name in JSON_SHAPES) && !NO_JSON.has(name)).map(({ name }) => name);
  if (missing.length > 0) throw new Error(`tools/docs/cli.mjs does not describe the JSON of these commands: ${missing.join(', ')}`);
  const types = await schemaTypes();
  const summary = declaredTypes('apps/cli/src/ingest/summary.ts');
  const leftOut = declaredTypes('libs/client/src/files/left-out.ts');
  return pageOf(
    '# Command line',
    GENERATED,
    'Run `npx palimpsest <command>` in the clone. Results go to stdout; progress, notes and errors go to stderr.',
    fenced('text', helpOf(program)),
    'Without `--url` and `PALIMPSEST_URL`, a command uses the server on this machine. It finds the server through `PALIMPSEST_DATA`, or through the folder `.palimpsest` in the working folder or its nearest parent folder.',
    '## Exit codes',
    table(
      ['code', 'meaning'],
      [
        [EXIT.ok, 'success'],
        [EXIT.someFailed, 'partial failure: a document was refused or not indexed, or `verify` found differences'],
        [EXIT.notRun, 'the command could not run: wrong usage, no connection, or the server refused'],
        [EXIT.interrupted, 'interrupted (Ctrl-C); documents that were already accepted are kept'],
      ],
    ),
    '## Commands',
    ...commands.map(({ name, command }) =>
      pageOf(
        `### palimpsest ${name}`,
        fenced('text', helpOf(command)),
        name in JSON_SHAPES ? `With \`--json\`: ${linked(JSON_SHAPES[name], types)}.` : 'Runs until it is stopped. It has no JSON output.',
      ),
    ),
    '## JSON of ingest',
    '### Summary',
    fenced(
      'ts',
      [summary.get('Summary').text, summary.get('Failure').text, leftOut.get('LeftOut').text, leftOut.get('LeftOutReason').text].join(
        '\n\n',
      ),
    ),
    summary.get('Summary').comment,
    `With \`--json\`, an error is still one line on stderr; check the exit code to detect it. ${code('position')} is a position on the log: pass it as \`atLeast\` to a later search so that the search includes everything up to there.`,
  );
};
