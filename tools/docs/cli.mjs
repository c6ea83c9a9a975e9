/** docs/reference/cli.md, from the help of every command. */
import { GENERATED, code, fenced, page as pageOf, table } from './markdown.mjs';
import { declaredTypes } from './declared-types.mjs';
import { inRoot } from '../setup/workspace.mjs';

/** What each command prints with --json; `Type` stands for a type of the HTTP API, `{ … }` is spelt out. */
const JSON_SHAPES = {
  ingest: 'Summary',
  search: 'SearchResult',
  context: 'ContextResult',
  'documents list': '{ documents: DocumentView[] }',
  'documents show': 'DocumentDetails',
  'documents watch': 'one DocumentChange in a line, for each',
  'documents rm': '{ deleted: { documentId, position }[] }',
  'documents retry': '{ retried: SubmissionResult[] }',
  'knowledge-bases list': '{ knowledgeBases: KnowledgeBaseView[] }',
  'knowledge-bases create': 'KnowledgeBaseWritten',
  'knowledge-bases configure': 'KnowledgeBaseWritten',
  'knowledge-bases pause': 'KnowledgeBaseWritten',
  'knowledge-bases resume': 'KnowledgeBaseWritten',
  'knowledge-bases archive': 'KnowledgeBaseWritten',
  'events list': '{ events: EventView[] }; with --follow one EventView in a line, for each',
  'events show': 'EventView',
  overview: 'OverviewView',
  status: 'StatusView',
  verify: 'VerifyResult',
  rebuild: 'RebuildResult',
  reembed: 'ReembedProgress, or ReembedStarted with --no-wait or when nothing is to be done',
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
  backup: '{ file, size, format, createdAt, by, position, parts: { streams, events, blobs, files }, missing: { count, first } }, with --check without size',
  restore: '{ data, format, createdAt, by, position, parts, missing }',
  export: '{ file, size, scope, embeddingVersion, knowledgeBases, documents, chunks }',
  import: 'ImportBegun and { imported, accepted, unchanged, kept, rejected: { source, code, detail }[] }',
  bench: '{ benchmarks: { name, measures }[] }; one that is named says what it says, in lines',
  eval: '{ testSet, documents, failed, queries, results: { strategy, ndcg10, recall10, recall100, mrr10, queries }[] }',
};

const NO_JSON = new Set(['start']);

const surroundings = { stdout: { write: () => true }, stderr: { write: () => true }, cwd: '/', config: {}, signal: new AbortController().signal };

const helpOf = (command) => command.configureHelp({ helpWidth: 110, showGlobalOptions: false }).helpInformation();

/** Every command that does something, with its full name. */
const leaves = (command, path = []) =>
  command.commands.length === 0 ? [{ name: path.join(' '), command }] : command.commands.flatMap((each) => leaves(each, [...path, each.name()]));

const linked = (shape, types) => shape.replaceAll(/\b[A-Z]\w+\b/g, (name) => (types.has(name) ? `[\`${name}\`](http-api.md#${name.toLowerCase()})` : name === 'Summary' ? '[`Summary`](#summary)' : name));

export const page = async () => {
  const { buildProgram } = await import(inRoot('apps/cli/src/program.ts'));
  const { EXIT } = await import(inRoot('apps/cli/src/failure.ts'));
  const program = buildProgram(surroundings, () => undefined);
  const commands = leaves(program);
  const untold = commands.filter(({ name }) => !(name in JSON_SHAPES) && !NO_JSON.has(name)).map(({ name }) => name);
  if (untold.length > 0) throw new Error(`commands whose JSON is not told in tools/docs/cli.mjs: ${untold.join(', ')}`);
  const types = declaredTypes('libs/client/src/views/*.ts');
  const summary = declaredTypes('apps/cli/src/ingest/summary.ts');
  const leftOut = declaredTypes('libs/client/src/files/left-out.ts');
  return pageOf(
    '# Command line',
    GENERATED,
    '`npx palimpsest <command>` in the clone. Results go to stdout, everything about the work (progress, notes, errors) to stderr.',
    fenced('text', helpOf(program)),
    'Without `--url` and `PALIMPSEST_URL` a command talks to the server on this machine. It finds it by `PALIMPSEST_DATA`, or by the folder `.palimpsest` in the working folder or the nearest folder above it.',
    '## Exit codes',
    table(
      ['code', 'meaning'],
      [
        [EXIT.ok, 'all fine'],
        [EXIT.someFailed, 'it ran, and some of it failed: a document was refused or not indexed, `verify` found differences'],
        [EXIT.notRun, 'it could not run: wrong usage, no connection, the server refused'],
        [EXIT.interrupted, 'interrupted (Ctrl-C); what was accepted is kept'],
      ],
    ),
    '## Commands',
    ...commands.map(({ name, command }) => pageOf(`### palimpsest ${name}`, fenced('text', helpOf(command)), name in JSON_SHAPES ? `With \`--json\`: ${linked(JSON_SHAPES[name], types)}.` : 'It runs until it is stopped, and has no JSON form.')),
    '## JSON of ingest',
    '### Summary',
    fenced('ts', [summary.get('Summary').text, summary.get('Failure').text, leftOut.get('LeftOut').text, leftOut.get('LeftOutReason').text].join('\n\n')),
    summary.get('Summary').comment,
    `With \`--json\`, an error is still one line on stderr, and the exit code tells it apart. ${code('position')} is a place on the log: a later search with \`atLeast\` sees at least that far.`,
  );
};
