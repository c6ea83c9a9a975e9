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
import { label, parallel, wholeNumber } from '../options.ts';
import type { Session } from '../session.ts';

/** How long the server may take to show a knowledge base that exists. */
const VISIBLE_WITHIN_MS = 60_000;
const POLL_MS = 500;

type IngestOptions = Readonly<{
  knowledgeBase: string;
  label?: Labels;
  origin?: Origin;
  subject?: string;
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
    .description('Upload files and folders. Files that have not changed since the last upload are skipped.')
    .argument(
      '<paths...>',
      'files, or folders with their contents, except what .gitignore names, hidden files, installed packages, and files that may hold secrets',
    )
    .option('--knowledge-base <id>', 'target knowledge base; created if it does not exist', 'default')
    .option('--scope <scope>', 'who may read a knowledge base that is created: deployment, platform, team:<id>, user:<id>')
    .option('--label <name=value>', 'label for every document; may be repeated. A list is tags="red, blue"', label)
    .addOption(new Option('--origin <kind>', 'kind of content').choices(['UserContent', 'Narrative', 'Note', 'Synthetic']))
    .option('--subject <person>', 'the person whom all documents are about; `subject erase` erases them')
    .option('--force', 'index unchanged files again')
    .option('--include-hidden', 'also send hidden files and folders inside folders')
    .option('--include-secrets', 'also send files inside folders whose names suggest passwords or keys')
    .option('--no-wait', 'do not wait until all documents are indexed')
    .option('--concurrency <number>', 'number of parallel uploads', parallel, 4)
    .option('--retry-for <seconds>', 'how long to keep trying while the server accepts nothing', wholeNumber(0, 86_400), 600)
    .action(asAction(ingest));
};

const ingest = async (session: Session, options: IngestOptions, paths: readonly string[]): Promise<number> => {
  const { output, cwd, signal } = session;
  const { files, leftOut, secrets } = await collectFiles(paths, cwd, included(options));
  if (files.length === 0)
    throw new UsageError(
      `no files to ingest in ${paths.join(', ')}${leftOut.length === 0 ? '' : `; left out: ${describeLeftOut(leftOut).join(', ')}`}`,
    );
  for (const name of secrets) output.note(`warning: ${name} may hold passwords or keys; it is sent because you named it`);

  const bar = output.progress('sent', files.length);
  let sent = 0;
  const client = session.connect({ retries: Number.POSITIVE_INFINITY });
  const onWait = (why: string, delayMs: number): void => bar.update(sent, `${why}, next try in ${Math.ceil(delayMs / 1000)} s`);
  let uploads: readonly Upload[];
  try {
    await ensureKnowledgeBase(client, options, signal);
    const { knowledgeBase, label: labels, origin, subject, force } = options;
    uploads = await uploadFiles(
      client,
      files,
      { knowledgeBase, labels, origin, subject, force },
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

const included = ({ includeHidden, includeSecrets }: IngestOptions): ReadonlySet<LeftOutReason> =>
  new Set([...(includeHidden ? (['hidden'] as const) : []), ...(includeSecrets ? (['secret'] as const) : [])]);

/** Creates the knowledge base if it does not exist. The scope of an existing one cannot change, so another scope is an error. */
export const ensureKnowledgeBase = async (
  client: PalimpsestClient,
  { knowledgeBase: id, scope, chunking }: Readonly<{ knowledgeBase: string; scope?: string; chunking?: NewKnowledgeBase['chunking'] }>,
  signal: AbortSignal,
): Promise<void> => {
  const exists = async (): Promise<boolean> => {
    try {
      const found = await client.knowledgeBases.get(id, { signal });
      if (scope === undefined || scope === found.scope) return true;
      throw new UsageError(`the knowledge base "${id}" belongs to the scope ${found.scope}, not to ${scope}`);
    } catch (error) {
      if (error instanceof ProblemError && error.status === 404) return false;
      throw error;
    }
  };
  if (await exists()) return;
  try {
    await client.knowledgeBases.create({ id, scope, chunking }, { signal });
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== 'Conflict') throw error;
    // Another process may have created it at the same time, with other settings. The server shows it a moment later.
    for (const until = Date.now() + VISIBLE_WITHIN_MS; !(await exists()); await sleep(POLL_MS, undefined, { signal }))
      if (Date.now() > until) throw error;
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
