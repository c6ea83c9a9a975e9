import { setTimeout as sleep } from 'node:timers/promises';
import { ProblemError } from '@palimpsest/client';
import type { Labels, LeftOutReason, Origin, PalimpsestClient, WaitResult, NewKnowledgeBase } from '@palimpsest/client';
import { Option } from 'commander';
import type { AddCommand } from '../action.ts';
import { EXIT, UsageError } from '../failure.ts';
import { collectFiles } from '../ingest/collect-files.ts';
import { describeLeftOut } from '../ingest/describe-left-out.ts';
import { printSummary, summarise } from '../ingest/summary.ts';
import { uploadFiles } from '../ingest/upload-files.ts';
import type { Upload } from '../ingest/upload-files.ts';
import { label, wholeNumber } from '../options.ts';
import type { Session } from '../session.ts';

/** How long the server may take to show a knowledge base that it has. */
const SHOWN_MS = 60_000;
const LOOK_MS = 500;

type IngestOptions = Readonly<{
  knowledgeBase: string;
  label?: Labels;
  origin?: Origin;
  scope?: string;
  force?: boolean;
  includeHidden?: boolean;
  includeSecrets?: boolean;
  wait: boolean;
  concurrency: number;
  retryFor: number;
}>;

export const addIngest: AddCommand = (program, asAction) => {
  program
    .command('ingest')
    .description('send files and folders; what has not changed since the last time is skipped')
    .argument('<paths...>', 'files, or folders with all that is in them, but for what .gitignore names, hidden files, installed packages, and files that may hold secrets')
    .option('--knowledge-base <id>', 'where to put them; made when it is not there', 'default')
    .option('--scope <scope>', 'who may read a knowledge base that is made: deployment, platform, team:<id>, user:<id>')
    .option('--label <name=value>', 'a label on every document; may be repeated', label)
    .addOption(new Option('--origin <kind>', 'what kind of writing it is').choices(['UserContent', 'Narrative', 'Note', 'Synthetic']))
    .option('--force', 'index again what has not changed')
    .option('--include-hidden', 'send hidden files and folders of a folder, too')
    .option('--include-secrets', 'send files of a folder whose names are those of files with passwords or keys, too')
    .option('--no-wait', 'do not wait until everything is indexed')
    .option('--concurrency <number>', 'how many files to send at a time', wholeNumber(1, 64), 4)
    .option('--retry-for <seconds>', 'how long to go on while the server accepts nothing', wholeNumber(0, 86_400), 600)
    .action(asAction(ingest));
};

const ingest = async (session: Session, options: IngestOptions, paths: readonly string[]): Promise<number> => {
  const { output, cwd, signal } = session;
  const { files, leftOut, secrets } = await collectFiles(paths, cwd, included(options));
  if (files.length === 0) throw new UsageError(`there is no file to ingest in ${paths.join(', ')}${leftOut.length === 0 ? '' : `; left out: ${describeLeftOut(leftOut).join(', ')}`}`);
  for (const name of secrets) output.note(`warning: ${name} is sent since you named it; its name is that of a file with passwords or keys`);

  const bar = output.progress('sent', files.length);
  let sent = 0;
  const client = session.connect({ retries: Number.POSITIVE_INFINITY });
  const onWait = (why: string, delayMs: number): void => bar.update(sent, `${why}, next try in ${Math.ceil(delayMs / 1000)} s`);
  let uploads: readonly Upload[];
  try {
    await ensureKnowledgeBase(client, options, signal);
    const { knowledgeBase, label: labels, origin, force } = options;
    uploads = await uploadFiles(
      client,
      files,
      { knowledgeBase, labels, origin, force },
      { concurrency: options.concurrency, retryForMs: options.retryFor * 1000, signal, onUpload: () => bar.update(++sent), onWait },
    );
  } finally {
    bar.stop();
  }
  const waited = options.wait ? await waitFor(session, client, uploads) : undefined;
  const summary = summarise(options.knowledgeBase, uploads, waited, leftOut);
  output.result(summary, () => printSummary(output, summary));
  return summary.failed > 0 ? EXIT.someFailed : EXIT.ok;
};

const included = ({ includeHidden, includeSecrets }: IngestOptions): ReadonlySet<LeftOutReason> => new Set([...(includeHidden ? (['hidden'] as const) : []), ...(includeSecrets ? (['secret'] as const) : [])]);

/** Makes the knowledge base when it is missing. One that exists keeps its scope, so another wish is an error. */
export const ensureKnowledgeBase = async (
  client: PalimpsestClient,
  { knowledgeBase: id, scope, chunking }: Readonly<{ knowledgeBase: string; scope?: string; chunking?: NewKnowledgeBase['chunking'] }>,
  signal: AbortSignal,
): Promise<void> => {
  const isThere = async (): Promise<boolean> => {
    try {
      const found = await client.knowledgeBases.get(id, { signal });
      if (scope === undefined || scope === found.scope) return true;
      throw new UsageError(`the knowledge base "${id}" lies in the scope ${found.scope}, not in ${scope}`);
    } catch (error) {
      if (error instanceof ProblemError && error.status === 404) return false;
      throw error;
    }
  };
  if (await isThere()) return;
  try {
    await client.knowledgeBases.create({ id, scope, chunking }, { signal });
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== 'Conflict') throw error;
    // Somebody may have created it at the same time, with settings of their own. The server shows it a moment later.
    for (const until = Date.now() + SHOWN_MS; !(await isThere()); await sleep(LOOK_MS, undefined, { signal })) if (Date.now() > until) throw error;
  }
};

const waitFor = async ({ output, signal }: Session, client: PalimpsestClient, uploads: readonly Upload[]): Promise<WaitResult> => {
  const accepted = uploads.flatMap((upload) => (upload.outcome === 'accepted' ? [upload] : []));
  const bar = output.progress('indexed', accepted.length);
  try {
    return await client.waitFor(accepted, {
      signal,
      onProgress: ({ settled, failed }) => bar.update(settled, failed === 0 ? '' : `${failed} failed`),
    });
  } finally {
    bar.stop();
  }
};
