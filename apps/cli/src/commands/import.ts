import { open, type FileHandle } from 'node:fs/promises';
import { resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import type { ExportHead, ImportBegun, ImportedDocument, SealedExportHead } from '@palimpsest/client';
import type { AddCommand } from '../action.ts';
import { EXIT, UsageError } from '../failure.ts';
import type { Output } from '../render/output.ts';
import { secretOf, withSecretOptions, type SecretOptions } from '../secret-options.ts';
import type { Session } from '../session.ts';
import type { Batch } from '../transfer/batches.ts';

type ImportOptions = SecretOptions &
  Readonly<{ scope?: string; reEmbed?: boolean; overwrite?: boolean; rename?: ReadonlyMap<string, string> }>;

type Outcome = Record<Exclude<ImportedDocument['status'], 'rejected'>, number> & {
  rejected: Readonly<{ source: string; code: string; detail: string }>[];
};

const renaming = (raw: string, before: ReadonlyMap<string, string> = new Map()): ReadonlyMap<string, string> => {
  const [from, to, ...more] = raw.split('=');
  if (!from || !to || more.length > 0) throw new InvalidArgumentError('Must be <old>=<new>.');
  return new Map([...before, [from, to]]);
};

export const addImport: AddCommand = (program, asAction) => {
  const command = program
    .command('import')
    .description('Import an exported scope. Run the same command again to continue; existing documents are kept.')
    .argument('<file>', 'export to read')
    .option('--scope <scope>', 'target scope; default: the scope of the export')
    .option('--rename <old=new>', 'import a knowledge base under another ID; may be repeated', renaming)
    .option('--re-embed', 'if this installation uses another embedding model: submit the documents again, to be chunked and embedded here')
    .option('--overwrite', 'replace existing documents that have other content');
  withSecretOptions(command).action(asAction(importScope));
};

const importScope = async (session: Session, options: ImportOptions, target: string): Promise<number> => {
  const { output, cwd, signal } = session;
  const path = resolve(cwd, target);
  const handle = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`cannot read ${path} (${error.code ?? error.message})`);
  });
  try {
    const { rename = new Map<string, string>(), reEmbed = false, overwrite = false } = options;
    const { head, documents, read } = await contentsOf(session, options, handle, rename);
    let note = (_: string): void => undefined;
    const client = session.connect({
      retries: Number.POSITIVE_INFINITY,
      onRetry: ({ status, delayMs }) =>
        note(`the server is ${status === 429 ? 'busy' : 'not available'}, next try in ${Math.ceil(delayMs / 1000)} s`),
    });
    const scope = options.scope ?? head.scope;
    const begun = await client.transfer.begin(scope, head, {
      reembed: reEmbed,
      signal,
      ...(isSealed(head) ? { rename: renamesOf(rename) } : {}),
    });
    const wanted = {
      ...(begun.mode === 'vectors' ? { embeddingVersion: begun.embeddingVersion } : { reembed: true }),
      ...(isSealed(head) ? { exportId: head.exportId, exportScope: head.scope, rename: renamesOf(rename) } : {}),
    };
    const outcome: Outcome = { imported: 0, accepted: 0, unchanged: 0, kept: 0, rejected: [] };
    let done = 0;
    const bar = output.progress('documents', documents);
    note = (text) => bar.update(done, text);
    try {
      for await (const batch of await read()) {
        const { documents: imported } = await client.transfer.importDocuments(scope, batch.lines, { ...wanted, overwrite, signal });
        imported.forEach((document) => count(outcome, document));
        bar.update((done += imported.length));
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

type Contents = Readonly<{ head: ExportHead | SealedExportHead; documents: number; read: () => Promise<AsyncGenerator<Batch>> }>;

/** Checks the whole file. A secret is needed only for a portable export. */
const contentsOf = async (
  session: Session,
  options: ImportOptions,
  handle: FileHandle,
  rename: ReadonlyMap<string, string>,
): Promise<Contents> => {
  const { checkExport, checkSealedExport, isSealedByScope, openExport, openSealedExport } = await import('../transfer/export-file.ts');
  const { batchesOf, sealedBatchesOf } = await import('../transfer/batches.ts');
  if (await isSealedByScope(handle)) {
    const { head, end } = await checkSealedExport(handle);
    const read = async () => {
      const lines = openSealedExport(handle);
      await lines.head();
      return sealedBatchesOf(lines);
    };
    return { head, documents: end.documents, read };
  }
  const secret = await secretOf(session, options);
  const { head, end } = await checkExport(handle, secret);
  const read = async () => {
    const lines = openExport(handle, secret);
    await lines.head();
    return batchesOf(lines, rename);
  };
  return { head: renamedHead(head, rename), documents: end.documents, read };
};

const isSealed = (head: ExportHead | SealedExportHead): head is SealedExportHead => head.kind === 'sealed-export';

const renamesOf = (rename: ReadonlyMap<string, string>): readonly string[] => [...rename].map(([from, to]) => `${from}=${to}`);

const renamedHead = (head: ExportHead, rename: ReadonlyMap<string, string>): ExportHead => {
  for (const name of rename.keys())
    if (!head.knowledgeBases.some(({ id }) => id === name))
      throw new UsageError(`--rename ${name}: the export has ${head.knowledgeBases.map(({ id }) => id).join(', ') || 'no knowledge base'}`);
  return { ...head, knowledgeBases: head.knowledgeBases.map((base) => ({ ...base, id: rename.get(base.id) ?? base.id })) };
};

const count = (outcome: Outcome, document: ImportedDocument): void => {
  if (document.status === 'rejected') outcome.rejected.push({ source: document.sourceId, ...document.error });
  else outcome[document.status] += 1;
};

const print = (
  output: Output,
  { scope, embeddingVersion }: ImportBegun,
  { imported, accepted, unchanged, kept, rejected }: Outcome,
): void => {
  output.line(`${scope}: ${imported} documents imported with their vectors (${embeddingVersion}), ${unchanged} already existed`);
  if (accepted > 0) output.line(`${accepted} documents are being indexed here; \`palimpsest documents list --status pending\` lists them`);
  if (kept > 0) output.line(`${kept} documents exist with other content and were kept; --overwrite replaces them`);
  for (const { source, code, detail } of rejected) output.line(`${output.colors.red('not imported')} ${source}: ${detail} (${code})`);
};
