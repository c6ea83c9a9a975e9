import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { AddCommand } from '../action.ts';
import { EXIT, UsageError } from '../failure.ts';
import { sizeOf } from '../render/size.ts';
import { secretOf, withSecretOptions, type SecretOptions } from '../secret-options.ts';
import type { Session } from '../session.ts';

type ExportOptions = SecretOptions & Readonly<{ scope: string }>;

export const addExport: AddCommand = (program, asAction) => {
  const command = program
    .command('export')
    .description('one scope with its knowledge bases, documents and vectors into a sealed file, for another installation')
    .argument('<file>', 'the file to write')
    .requiredOption('--scope <scope>', 'deployment, platform, team:<id>, user:<id>');
  withSecretOptions(command).action(asAction(exportScope));
};

const exportScope = async (session: Session, options: ExportOptions, target: string): Promise<number> => {
  const secret = await secretOf(session, options);
  const { output, cwd, signal } = session;
  const path = resolve(cwd, target);
  if (existsSync(path)) throw new UsageError(`${path} is there already`);
  const { inOurWords, PartialFile, SealedWriter } = await import('@palimpsest/backup');
  const { checkExport, ExportLines } = await import('../transfer/export-file.ts');
  const lines = new ExportLines(session.connect().transfer.exportScope(options.scope, { signal }));
  const head = await lines.head();
  return inOurWords(`write ${path}`, async () => {
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
      const summary = { file: path, size: sealed.written, scope: head.scope, embeddingVersion: head.embeddingVersion, knowledgeBases: head.knowledgeBases.length, documents: end.documents, chunks: end.chunks };
      output.result(summary, () => {
        output.line(`exported ${head.scope}: ${end.documents} documents, ${end.chunks} chunks, ${head.knowledgeBases.length} knowledge bases, vectors of ${head.embeddingVersion}; read back`);
        output.line(`${path} (${sizeOf(sealed.written)})`);
      });
      return EXIT.ok;
    } finally {
      bar.stop();
      await file.close();
    }
  });
};
