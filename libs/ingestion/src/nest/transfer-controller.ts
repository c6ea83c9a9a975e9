import { Readable } from 'node:stream';
import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { linesOf, parseInput, wire } from '@palimpsest/contracts';
import { InvalidValue, PartlyAccepted, vectorScope } from '@palimpsest/knowledge';
import { ApiQueries, Caller, jsonSchema, PartlyDone, Policy, problemOf, type CallerContext } from '@palimpsest/runtime';
import { BeginImport } from '../transfer/begin-import.ts';
import type { ExportRecord } from '../transfer/export-scope.ts';
import { ImportDocuments, lastPosition, type Imported } from '../transfer/import-documents.ts';
import { transferable } from '../transfer/permitted.ts';
import { sealedHead, type SealedRecord } from '../transfer/sealed-lines.ts';
import { renamesOf, SealedTransfer } from '../transfer/sealed-transfer.ts';
import { documentRecord, exportHead } from '../transfer/transfer-records.ts';

const NDJSON = 'application/x-ndjson';

const flag = (about: string) => z.enum(['true', 'false']).default('false').describe(about);
const rename = z.array(z.string().max(200)).max(1_000);

const exportQuery = z.strictObject({ portable: flag('for another installation: do not seal the lines under the key of the scope. Everyone who has them can read them, also after the scope was erased') });
const begin = z.strictObject({
  export: z.discriminatedUnion('kind', [exportHead, sealedHead]),
  reembed: z.boolean().default(false),
  /** Of a sealed export: knowledge bases to import under another id, as `<old>=<new>`. */
  rename: rename.default([]),
});
const documentsQuery = z.strictObject({
  exportId: z.uuid().exactOptional().describe('of a sealed export: its id, from its first line'),
  exportScope: wire.scope.exactOptional().describe('of a sealed export: its scope; default: the scope of the import'),
  rename: z.union([z.string().max(200).transform((one) => [one]), rename]).exactOptional().describe('of a sealed export: a knowledge base to import under another id, as `<old>=<new>`; may be repeated'),
  embeddingVersion: wire.embeddingVersion.exactOptional().describe('embedding version of the imported vectors; required unless `reembed` is true'),
  reembed: flag('submit the documents again and embed them here instead of importing their vectors'),
  overwrite: flag('replace existing documents that have other content'),
});

/** Moves a scope from one installation to another. */
@ApiTags('Operation')
@Controller('v1')
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

  @Get('exports/:scope')
  @ApiProduces(NDJSON)
  @ApiOperation({ summary: 'Export a scope with its documents, uploads, texts and vectors, as lines of JSON, sealed under the key of the scope unless `portable`; the export is incomplete without the last line, `end`' })
  @ApiQueries(exportQuery)
  async export(@Caller() { access }: CallerContext, @Param('scope') scope: string, @Query() query: unknown, @Res() reply: FastifyReply): Promise<void> {
    const { portable } = parseInput(exportQuery, query);
    const records = await this.#sealed.export(access, vectorScope(scope), portable === 'true');
    const body = Readable.from(lines(records), { objectMode: false });
    // The response has begun, so the caller only sees that it breaks off; the use case reports the error.
    body.once('error', () => undefined);
    await reply.type(NDJSON).send(body);
  }

  @Post('imports/:scope')
  @Policy({ body: 'large-command' })
  @HttpCode(200)
  @ApiOperation({ summary: 'Begin an import: check that the export fits, then create the scope and its knowledge bases; documents follow' })
  @ApiBody({ schema: jsonSchema(begin) })
  async begin(@Caller() { access, correlationId }: CallerContext, @Param('scope') scope: string, @Body() body: unknown) {
    // Check permissions before the body.
    const { scope: name } = transferable(access, vectorScope(scope));
    const { export: head, reembed, rename: renames } = parseInput(begin, body);
    const open = head.kind === 'sealed-export' ? await this.#sealed.head(access, head, renamesOf(renames)) : head;
    return this.#begin.run(access, name, open, reembed, correlationId);
  }

  @Post('imports/:scope/documents')
  @Policy({ body: 'lines' })
  @HttpCode(200)
  @ApiOperation({ summary: 'Import documents: lines of an export, from a `document` to its `document-end`, for any number of documents' })
  @ApiConsumes(NDJSON)
  @ApiBody({ description: 'lines of JSON; the schema describes the first line of a document', schema: jsonSchema(documentRecord) })
  @ApiQueries(documentsQuery)
  async documents(@Caller() { access, correlationId }: CallerContext, @Param('scope') scope: string, @Query() query: unknown, @Body() body: unknown) {
    const { scope: name } = transferable(access, vectorScope(scope));
    const { reembed, overwrite, embeddingVersion, exportId, exportScope = name, rename: renames = [] } = parseInput(documentsQuery, query);
    const options = { reembed: reembed === 'true', overwrite: overwrite === 'true', ...(embeddingVersion === undefined ? {} : { embeddingVersion }) };
    const lines = linesOf(bytesOf(body));
    const open = exportId === undefined ? lines : await this.#sealed.lines(access, lines, { exportScope, exportId, renames: renamesOf(renames) });
    const done = await this.#import.run(access, name, open, options, correlationId).catch(listAccepted);
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

/** The unparsed body stream: the parser for this content type does not read it. */
const bytesOf = (body: unknown): AsyncIterable<Uint8Array> => {
  // Keep the connection open when reading stops early: it still has to carry the response.
  if (body instanceof Readable) return body.iterator({ destroyOnReturn: false });
  throw new InvalidValue('content-type', NDJSON, body === undefined || body === null ? 'no body' : 'JSON');
};

/** Adds the documents that were accepted before an error, in the format of the response. */
const listAccepted = (error: unknown): never => {
  throw error instanceof PartlyAccepted ? new PartlyDone(error.fault, { documents: (error.documents as readonly Imported[]).map(view) }) : error;
};

const view = (done: Imported) => {
  const { documentId, sourceId, knowledgeBase, status } = done;
  if (done.status === 'rejected') {
    const { code, detail } = problemOf(done.error);
    return { documentId, sourceId, knowledgeBase, status, error: { code, detail } };
  }
  return { documentId, sourceId, knowledgeBase, status, version: done.version };
};
