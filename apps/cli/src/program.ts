import { Command } from 'commander';
import type { AsAction, Work } from './action.ts';
import { addAudit } from './commands/audit.ts';
import { addBackup } from './commands/backup.ts';
import { addBench } from './commands/bench.ts';
import { addContext } from './commands/context.ts';
import { addDeadLetters } from './commands/dead-letters.ts';
import { addDocuments } from './commands/documents.ts';
import { addEval } from './commands/eval.ts';
import { addEvents } from './commands/events.ts';
import { addExport } from './commands/export.ts';
import { addImport } from './commands/import.ts';
import { addIngest } from './commands/ingest.ts';
import { addKeys } from './commands/keys.ts';
import { addKnowledgeBases } from './commands/knowledge-bases.ts';
import { addOverview } from './commands/overview.ts';
import { addReembed } from './commands/reembed.ts';
import { addRestore } from './commands/restore.ts';
import { addRebuild, addVerify } from './commands/read-models.ts';
import { addSearch } from './commands/search.ts';
import { addStart } from './commands/start.ts';
import { addStatus } from './commands/status.ts';
import { addTenants } from './commands/tenants.ts';
import { openSession } from './session.ts';
import type { CommonOptions, Surroundings } from './session.ts';
import { VERSION } from './version.ts';

const HELP = `
Without --url and PALIMPSEST_URL, commands use the server on this machine. It is found through PALIMPSEST_DATA or the
folder .palimpsest in the working folder or above. Exit codes: 0 success, 1 partial failure, 2 could not run, 130 interrupted.`;

export const buildProgram = (surroundings: Surroundings, onExitCode: (code: number) => void): Command => {
  const { stdout, stderr } = surroundings;
  const program = new Command('palimpsest')
    .description('Ingest and search documents with Palimpsest, and operate the platform.')
    .version(`palimpsest ${VERSION}`, '-V, --version', 'print the version')
    .option('--url <address>', 'address of the server (PALIMPSEST_URL)')
    .option('--api-key <key>', 'API key (PALIMPSEST_API_KEY)')
    .option('--json', 'print one JSON document on stdout')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: (text) => void stdout.write(text), writeErr: (text) => void stderr.write(text) })
    .addHelpText('after', HELP)
    .showHelpAfterError('(add --help for usage)')
    .exitOverride();

  const asAction: AsAction =
    <Options, Args extends readonly unknown[]>(work: Work<Options, Args>) =>
    async (...given) => {
      // Commander passes the arguments, then the options, then the command.
      const command = given.at(-1) as Command;
      const session = openSession(surroundings, command.optsWithGlobals<CommonOptions>());
      onExitCode(await work(session, command.opts() as Options, ...(given.slice(0, -2) as unknown as Args)));
    };

  for (const add of [addStart, addIngest, addSearch, addContext, addDocuments, addKnowledgeBases, addEvents]) add(program, asAction);
  for (const add of [
    addStatus,
    addOverview,
    addVerify,
    addRebuild,
    addReembed,
    addDeadLetters,
    addKeys,
    addTenants,
    addAudit,
    addEval,
    addBench,
  ])
    add(program, asAction);
  for (const add of [addBackup, addRestore, addExport, addImport]) add(program, asAction);
  return program;
};
