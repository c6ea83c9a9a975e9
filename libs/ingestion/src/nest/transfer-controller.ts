import { Readable } from 'node:stream';
import { Controller, Inject } from '@nestjs/common';
import { linesOf } from '@palimpsest/contracts';
import { beginImport, exportScope, importDocuments, type ImportedDocument } from '@palimpsest/contracts/http';
import { PartlyAccepted } from '@palimpsest/knowledge/errors';
import { PartlyDone, problemOf, Route, type Call } from '@palimpsest/runtime';
import { BeginImport } from '../transfer/begin-import.ts';
import type { ExportRecord } from '../transfer/export-scope.ts';
import { ImportDocuments, lastPosition, type Imported } from '../transfer/import-documents.ts';
import { transferable } from '../transfer/permitted.ts';
import type { SealedRecord } from '../transfer/sealed-lines.ts';
import { renamesOf, SealedTransfer } from '../transfer/sealed-transfer.ts';

/** Moves a scope from one installation to another. */
@Controller()
export class TransferController {
  readonly #sealed: SealedTransfer;
  readonly #begin: BeginImport;
  readonly #import: ImportDocuments;

  constructor(
    @Inject(SealedTransfer) sealed: SealedTransfer,
    @Inject(BeginImport) beginning: BeginImport,
    @Inject(ImportDocuments) importing: ImportDocuments,
  ) {
    this.#sealed = sealed;
    this.#begin = beginning;
    this.#import = importing;
  }

  @Route(exportScope)
  async export({ access, params, query, reply }: Call<typeof exportScope>): Promise<void> {
    const records = await this.#sealed.export(access, params.scope, query.portable);
    const body = Readable.from(lines(records), { objectMode: false });
    // The response has begun, so the caller only sees that it breaks off; the use case reports the error.
    body.once('error', () => undefined);
    await reply.type(exportScope.stream).send(body);
  }

  @Route(beginImport)
  async begin({ access, correlationId, params, body: { export: head, reembed, rename } }: Call<typeof beginImport>) {
    const { scope } = transferable(access, params.scope);
    const open = head.kind === 'sealed-export' ? await this.#sealed.head(access, head, renamesOf(rename)) : head;
    return this.#begin.run(access, scope, open, reembed, correlationId);
  }

  @Route(importDocuments)
  async documents({ access, correlationId, params, query, body }: Call<typeof importDocuments>) {
    const { scope } = transferable(access, params.scope);
    const { exportId, exportScope: source = scope, rename = [], ...options } = query;
    const given = linesOf(body);
    const open =
      exportId === undefined
        ? given
        : await this.#sealed.lines(access, given, { exportScope: source, exportId, renames: renamesOf(rename) });
    const done = await this.#import.run(access, scope, open, options, correlationId).catch(listAccepted);
    return { documents: done.map(view), position: String(lastPosition(done)) };
  }
}

/** Joins lines to buffers of a useful size. */
async function* lines(records: AsyncIterable<ExportRecord | SealedRecord>): AsyncGenerator<Buffer> {
  let waiting: string[] = [];
  let units = 0;
  for await (const record of records) {
    const line = `${JSON.stringify(record)}\n`;
    waiting.push(line);
    units += line.length;
    if (units < 64 * 1024) continue;
    yield Buffer.from(waiting.join(''));
    [waiting, units] = [[], 0];
  }
  yield Buffer.from(waiting.join(''));
}

/** Adds the documents that were accepted before an error, in the format of the response. */
const listAccepted = (error: unknown): never => {
  throw error instanceof PartlyAccepted
    ? new PartlyDone(error.fault, { documents: (error.documents as readonly Imported[]).map(view) })
    : error;
};

const view = (done: Imported): ImportedDocument => {
  const { documentId, sourceId, knowledgeBase } = done;
  if (done.status === 'rejected') {
    const { code, detail } = problemOf(done.error);
    return { documentId, sourceId, knowledgeBase, status: done.status, error: { code, detail } };
  }
  return { documentId, sourceId, knowledgeBase, status: done.status, version: done.version };
};
