import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { AddCommand } from '../action.ts';
import { EXIT, UsageError } from '../failure.ts';
import type { Secret } from '@palimpsest/backup';
import type { Output } from '../render/output.ts';
import { sizeOf } from '../render/size.ts';
import { secretOf, withSecretOptions, type SecretOptions } from '../secret-options.ts';
import type { Session } from '../session.ts';

type ExportOptions = SecretOptions & Readonly<{ scope: string; portable?: boolean }>;

export const addExport: AddCommand = (program, asAction) => {
  const command = program
    .command('export')
    .description(
      'Export one scope with its knowledge bases, documents and vectors to a file. By default it is sealed under the key of the scope: only this installation can import it, and no one once the scope was erased.',
    )
    .argument('<file>', 'file to write')
    .requiredOption('--scope <scope>', 'scope to export: deployment, platform, team:<id>, user:<id>')
    .option(
      '--portable',
      'for another installation: seal the file with a passphrase or key file instead. Everyone who has that secret can read the file, also after the scope was erased',
    );
  withSecretOptions(command).action(asAction(exportScope));
};

const exportScope = async (session: Session, options: ExportOptions, target: string): Promise<number> => {
  const path = resolve(session.cwd, target);
  if (options.portable) return exportPortable(session, options, path, await secretOf(session, options));
  if (options.passphraseFile !== undefined || options.keyFile !== undefined)
    throw new UsageError('--passphrase-file and --key-file need --portable: without it, the export is sealed under the key of the scope');
  return exportSealed(session, options, path);
};

const exportSealed = async (session: Session, { scope }: ExportOptions, path: string): Promise<number> => {
  const { output, signal } = session;
  requireFree(path);
  const { withReadableErrors, PartialFile } = await import('@palimpsest/backup');
  const { checkSealedExport, SealedExportLines } = await import('../transfer/export-file.ts');
  const lines = new SealedExportLines(session.connect().transfer.exportScope(scope, { signal }));
  const head = await lines.head();
  return withReadableErrors(`write ${path}`, async () => {
    const file = await PartialFile.create(path);
    const bar = output.progress('documents', head.documents);
    let size = 0;
    const write = async (line: string): Promise<void> => void (size += (await file.handle.write(Buffer.from(`${line}\n`))).bytesWritten);
    try {
      await write(JSON.stringify(head));
      let done = 0;
      for await (const { text, last } of lines.lines()) {
        await write(text);
        if (last) bar.update((done += 1));
      }
      await write(JSON.stringify(lines.end));
      await file.handle.sync();
      const { end } = await checkSealedExport(file.handle);
      signal.throwIfAborted();
      await file.commit();
      report(
        output,
        { file: path, size, scope: head.scope, embeddingVersion: head.embeddingVersion, documents: end.documents, chunks: end.chunks },
        'complete; only this installation can import it',
      );
      return EXIT.ok;
    } finally {
      bar.stop();
      await file.close();
    }
  });
};

const exportPortable = async (session: Session, { scope }: ExportOptions, path: string, secret: Secret): Promise<number> => {
  const { output, signal } = session;
  requireFree(path);
  const { withReadableErrors, PartialFile, SealedWriter } = await import('@palimpsest/backup');
  const { checkExport, ExportLines } = await import('../transfer/export-file.ts');
  const lines = new ExportLines(session.connect().transfer.exportScope(scope, { signal, portable: true }));
  const head = await lines.head();
  return withReadableErrors(`write ${path}`, async () => {
    const file = await PartialFile.create(path);
    const bar = output.progress('documents', head.documents);
    try {
      const sealed = await SealedWriter.begin(file, 'export', secret);
      const write = (line: string): Promise<void> | undefined => sealed.add(Buffer.from(`${line}\n`));
      await write(JSON.stringify(head));
      let done = 0;
      for await (const { text, kind } of lines.lines()) {
        await write(text);
        if (kind === 'document-end') bar.update((done += 1));
      }
      await write(JSON.stringify(lines.end));
      await sealed.finish();
      await file.handle.sync();
      const { end } = await checkExport(file.handle, secret);
      signal.throwIfAborted();
      await file.commit();
      const summary = {
        file: path,
        size: sealed.written,
        scope: head.scope,
        embeddingVersion: head.embeddingVersion,
        knowledgeBases: head.knowledgeBases.length,
        documents: end.documents,
        chunks: end.chunks,
      };
      report(output, summary, 'verified; everyone who has the secret can read it');
      return EXIT.ok;
    } finally {
      bar.stop();
      await file.close();
    }
  });
};

const requireFree = (path: string): void => {
  if (existsSync(path)) throw new UsageError(`${path} already exists`);
};

type Summary = Readonly<{
  file: string;
  size: number;
  scope: string;
  embeddingVersion: string;
  knowledgeBases?: number;
  documents: number;
  chunks: number;
}>;

const report = (output: Output, summary: Summary, note: string): void =>
  output.result(summary, () => {
    const { file, size, scope, documents, chunks, knowledgeBases, embeddingVersion } = summary;
    const bases = knowledgeBases === undefined ? '' : `, ${knowledgeBases} knowledge bases`;
    output.line(`exported ${scope}: ${documents} documents, ${chunks} chunks${bases}, vectors of ${embeddingVersion}; ${note}`);
    output.line(`${file} (${sizeOf(size)})`);
  });
