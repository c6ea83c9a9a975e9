/** docs/reference/cli.md, from the help of every command. */
import { GENERATED, code, fenced, page as pageOf, table } from './markdown.mjs';
import { declaredTypes } from './declared-types.mjs';
import { schemaTypes } from './schema-types.mjs';
import { inRoot } from '../setup/workspace.mjs';

const NO_JSON = new Set(['start']);

const environment = {
  stdout: { write: () => true },
  stderr: { write: () => true },
  cwd: '/',
  config: {},
  signal: new AbortController().signal,
};

const helpOf = (command) => command.configureHelp({ helpWidth: 110, showGlobalOptions: false }).helpInformation();

/** Every command that does something itself (without subcommands, or with an argument), with its full name. */
const leaves = (command, path = []) => [
  ...(command.commands.length === 0 || command.registeredArguments.length > 0 ? [{ name: path.join(' '), command }] : []),
  ...command.commands.flatMap((each) => leaves(each, [...path, each.name()])),
];

const linked = (shape, types) =>
  shape.replaceAll(/\b[A-Z]\w+\b/g, (name) =>
    types.has(name) ? `[\`${name}\`](http-api.md#${name.toLowerCase()})` : name === 'Summary' ? '[`Summary`](#summary)' : name,
  );

export const page = async () => {
  const { buildProgram, COMMANDS } = await import('../../apps/cli/src/program.ts');
  const shapes = Object.assign({}, ...COMMANDS.map(([, json]) => json));
  const { EXIT } = await import(inRoot('apps/cli/src/failure.ts'));
  const program = buildProgram(environment, () => undefined);
  const commands = leaves(program);
  const missing = commands.filter(({ name }) => !(name in shapes) && !NO_JSON.has(name)).map(({ name }) => name);
  if (missing.length > 0) throw new Error(`apps/cli/src/program.ts does not describe the JSON of these commands: ${missing.join(', ')}`);
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
        [
          EXIT.someFailed,
          'partial failure: a document was refused or not indexed, `verify` found differences, or `eval compare` found a run that is worse',
        ],
        [EXIT.notRun, 'the command could not run: wrong usage, no connection, or the server refused'],
        [EXIT.undecided, 'undecided: `eval compare` needs more queries'],
        [EXIT.interrupted, 'interrupted (Ctrl-C); documents that were already accepted are kept'],
      ],
    ),
    '## Commands',
    ...commands.map(({ name, command }) =>
      pageOf(
        `### palimpsest ${name}`,
        fenced('text', helpOf(command)),
        name in shapes ? `With \`--json\`: ${linked(shapes[name], types)}.` : 'Runs until it is stopped. It has no JSON output.',
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
