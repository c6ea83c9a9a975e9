import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import type { ExportHead, ImportBegun, ImportedDocument } from '@palimpsest/client';
import type { AddCommand } from '../action.ts';
import { EXIT, UsageError } from '../failure.ts';
import type { Output } from '../render/output.ts';
import { secretOf, withSecretOptions, type SecretOptions } from '../secret-options.ts';
import type { Session } from '../session.ts';

type ImportOptions = SecretOptions & Readonly<{ scope?: string; reEmbed?: boolean; overwrite?: boolean; rename?: ReadonlyMap<string, string> }>;

type Outcome = Record<Exclude<ImportedDocument['status'], 'rejected'>, number> & { rejected: Readonly<{ source: string; code: string; detail: string }>[] };

const renaming = (raw: string, before: ReadonlyMap<string, string> = new Map()): ReadonlyMap<string, string> => {
  const [from, to, ...more] = raw.split('=');
  if (!from || !to || more.length > 0) throw new InvalidArgumentError('expected <old>=<new>');
  return new Map([...before, [from, to]]);
};

export const addImport: AddCommand = (program, asAction) => {
  const command = program
    .command('import')
    .description('bring an exported scope into this installation; run again, it goes on, and what is there is left alone')
    .argument('<file>', 'an export')
    .option('--scope <scope>', 'into this scope; default the one it was exported from')
    .option('--rename <old=new>', 'call a knowledge base otherwise here; may be repeated', renaming)
    .option('--re-embed', 'when the model is another one here: hand the documents in anew, to be cut and embedded here')
    .option('--overwrite', 'replace documents that are here with other content');
  withSecretOptions(command).action(asAction(importScope));
};

const importScope = async (session: Session, options: ImportOptions, target: string): Promise<number> => {
  const secret = await secretOf(session, options);
  const { output, cwd, signal } = session;
  const path = resolve(cwd, target);
  const handle = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`cannot read ${path} (${error.code ?? error.message})`);
  });
  try {
    const { checkExport, openExport } = await import('../transfer/export-file.ts');
    const { batchesOf } = await import('../transfer/batches.ts');
    const { head, end } = await checkExport(handle, secret);
    const { rename = new Map<string, string>(), reEmbed = false, overwrite = false } = options;
    let note = (_: string): void => undefined;
    const client = session.connect({
      retries: Number.POSITIVE_INFINITY,
      onRetry: ({ status, delayMs }) => note(`the server is ${status === 429 ? 'busy' : 'not available'}, next try in ${Math.ceil(delayMs / 1000)} s`),
    });
    const scope = options.scope ?? head.scope;
    const begun = await client.transfer.begin(scope, renamedHead(head, rename), { reembed: reEmbed, signal });
    const wanted = begun.mode === 'vectors' ? { embeddingVersion: begun.embeddingVersion } : { reembed: true };
    const outcome: Outcome = { imported: 0, accepted: 0, unchanged: 0, kept: 0, rejected: [] };
    let done = 0;
    const bar = output.progress('documents', end.documents);
    note = (text) => bar.update(done, text);
    try {
      const lines = openExport(handle, secret);
      await lines.head();
      for await (const batch of batchesOf(lines, rename)) {
        const { documents } = await client.transfer.importDocuments(scope, batch.lines, { ...wanted, overwrite, signal });
        documents.forEach((document) => count(outcome, document));
        bar.update((done += documents.length));
      }
    } finally {
      bar.stop();
    }
    output.result({ ...begun, ...outcome }, () => print(output, begun, outcome));
    return outcome.rejected.length > 0 ? EXIT.someFailed : EXIT.ok;
  } finally {
    await handle.close();
  }
};

const renamedHead = (head: ExportHead, rename: ReadonlyMap<string, string>): ExportHead => {
  for (const name of rename.keys())
    if (!head.knowledgeBases.some(({ id }) => id === name)) throw new UsageError(`--rename ${name}: the export has ${head.knowledgeBases.map(({ id }) => id).join(', ') || 'no knowledge base'}`);
  return { ...head, knowledgeBases: head.knowledgeBases.map((base) => ({ ...base, id: rename.get(base.id) ?? base.id })) };
};

const count = (outcome: Outcome, document: ImportedDocument): void => {
  if (document.status === 'rejected') outcome.rejected.push({ source: document.sourceId, ...document.error });
  else outcome[document.status] += 1;
};

const print = (output: Output, { scope, embeddingVersion }: ImportBegun, { imported, accepted, unchanged, kept, rejected }: Outcome): void => {
  output.line(`${scope}: ${imported} documents imported with their vectors (${embeddingVersion}), ${unchanged} were there already`);
  if (accepted > 0) output.line(`${accepted} documents are being indexed here; \`palimpsest documents list --status pending\` tells which`);
  if (kept > 0) output.line(`${kept} documents are here with other content and were left alone; --overwrite replaces them`);
  for (const { source, code, detail } of rejected) output.line(`${output.colors.red('not imported')} ${source}: ${detail} (${code})`);
};
