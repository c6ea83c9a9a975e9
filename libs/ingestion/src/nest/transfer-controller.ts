import { Readable } from 'node:stream';
import { Controller, Inject } from '@nestjs/common';
import { linesOf } from '@palimpsest/contracts';
import { type ImportedDocument } from '@palimpsest/contracts/http';
import { beginImport, exportScope, importDocuments } from '@palimpsest/contracts/routes/transfer';
import { PartlyAccepted } from '@palimpsest/knowledge/errors';
import { Buses } from '@palimpsest/runtime';
import { PartlyDone, problemOf, Route, type Call } from '@palimpsest/http';
import { lastPosition, type Imported } from '../transfer/document-import.ts';
import type { ExportRecord } from '../transfer/portable-export.ts';
import type { SealedRecord } from '../transfer/sealed-lines.ts';
import { renamesOf } from '../transfer/sealed-transfer.ts';
import { BeginImport, ExportScope, ImportDocuments } from '../transfer/transfer-scope.ts';

/** Moves a scope from one installation to another. */
@Controller()
export class TransferController {
  readonly #buses: Buses;

  constructor(@Inject(Buses) buses: Buses) {
    this.#buses = buses;
  }

  @Route(exportScope)
  async export({ caller, params, query, reply }: Call<typeof exportScope>): Promise<void> {
    const records = await this.#buses.execute(new ExportScope(caller, { scope: params.scope, portable: query.portable }));
    const body = Readable.from(lines(records), { objectMode: false });
    // The response has begun, so the caller only sees that it breaks off; the use case reports the error.
    body.once('error', () => undefined);
    await reply.type(exportScope.stream).send(body);
  }

  @Route(beginImport)
  begin({ caller, params: { scope }, body: { export: head, reembed, rename } }: Call<typeof beginImport>) {
    return this.#buses.execute(new BeginImport(caller, { scope, head, reembed, renames: renamesOf(rename) }));
  }

  @Route(importDocuments)
  async documents({ caller, params: { scope }, query, body }: Call<typeof importDocuments>) {
    const { exportId, exportScope: source = scope, rename = [], ...options } = query;
    const sealed = exportId === undefined ? {} : { source: { exportScope: source, exportId, renames: renamesOf(rename) } };
    const done = await this.#buses
      .execute(new ImportDocuments(caller, { scope, lines: linesOf(body), options, ...sealed }))
      .catch(listAccepted);
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
