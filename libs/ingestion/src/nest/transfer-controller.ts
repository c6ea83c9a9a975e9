import { Readable } from 'node:stream';
import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { linesOf, parseInput, wire } from '@palimpsest/contracts';
import { InvalidValue, PartlyAccepted, vectorScope } from '@palimpsest/knowledge';
import { ApiQueries, Caller, jsonSchema, PartlyDone, Policy, PORT, problemOf, type CallerContext, type OnFault } from '@palimpsest/runtime';
import { BeginImport } from '../transfer/begin-import.ts';
import { ExportScope, type ExportRecord } from '../transfer/export-scope.ts';
import { ImportDocuments, lastPosition, type Imported } from '../transfer/import-documents.ts';
import { transferable } from '../transfer/permitted.ts';
import { documentRecord, exportHead } from '../transfer/transfer-records.ts';

export const NDJSON = 'application/x-ndjson';

const begin = z.strictObject({
  export: exportHead,
  reembed: z.boolean().default(false),
});

const flag = (about: string) => z.enum(['true', 'false']).default('false').describe(about);
const documentsQuery = z.strictObject({
  embeddingVersion: wire.embeddingVersion.exactOptional().describe('of the vectors that come; needed unless `reembed`'),
  reembed: flag('hand the documents in anew, whatever vectors they have'),
  overwrite: flag('replace documents that are there with other content'),
});

/** A scope out of one installation and into another. */
@ApiTags('Operation')
@Controller('v1')
export class TransferController {
  readonly #export: ExportScope;
  readonly #begin: BeginImport;
  readonly #import: ImportDocuments;
  readonly #onFault: OnFault;

  constructor(
    @Inject(ExportScope) exporting: ExportScope,
    @Inject(BeginImport) beginning: BeginImport,
    @Inject(ImportDocuments) importing: ImportDocuments,
    @Inject(PORT.OnFault) onFault: OnFault,
  ) {
    this.#onFault = onFault;
    this.#export = exporting;
    this.#begin = beginning;
    this.#import = importing;
  }

  @Get('exports/:scope')
  @ApiProduces(NDJSON)
  @ApiOperation({ summary: 'A scope with its documents, uploads, texts and vectors, as lines of JSON; without the last line, `end`, it is cut off' })
  async export(@Caller() { access }: CallerContext, @Param('scope') scope: string, @Res() reply: FastifyReply): Promise<void> {
    const records = await this.#export.run(access, vectorScope(scope));
    const body = Readable.from(lines(records), { objectMode: false });
    // The answer has begun: all that the caller gets to know of a fault is that it breaks off.
    body.once('error', (error) => this.#onFault(error, `exporting scope ${scope}`));
    await reply.type(NDJSON).send(body);
  }

  @Post('imports/:scope')
  @Policy({ body: 'large-command' })
  @HttpCode(200)
  @ApiOperation({ summary: 'Look whether an export fits, and make the scope and its knowledge bases; documents come afterwards' })
  @ApiBody({ schema: jsonSchema(begin) })
  async begin(@Caller() { access, correlationId }: CallerContext, @Param('scope') scope: string, @Body() body: unknown) {
    // Who may not is told before what is wrong with the body.
    const { scope: name } = transferable(access, vectorScope(scope));
    const { export: head, reembed } = parseInput(begin, body);
    return this.#begin.run(access, name, head, reembed, correlationId);
  }

  @Post('imports/:scope/documents')
  @Policy({ body: 'lines' })
  @HttpCode(200)
  @ApiOperation({ summary: 'Import documents: lines of an export, from a `document` to its `document-end`, any number of them' })
  @ApiConsumes(NDJSON)
  @ApiBody({ description: 'lines; the schema is that of a document’s first', schema: jsonSchema(documentRecord) })
  @ApiQueries(documentsQuery)
  async documents(@Caller() { access, correlationId }: CallerContext, @Param('scope') scope: string, @Query() query: unknown, @Body() body: unknown) {
    const { scope: name } = transferable(access, vectorScope(scope));
    const { reembed, overwrite, embeddingVersion } = parseInput(documentsQuery, query);
    const options = { reembed: reembed === 'true', overwrite: overwrite === 'true', ...(embeddingVersion === undefined ? {} : { embeddingVersion }) };
    const done = await this.#import.run(access, name, linesOf(bytesOf(body)), options, correlationId).catch(listAccepted);
    return { documents: done.map(view), position: String(lastPosition(done)) };
  }
}

/** Joined to pieces of a useful size. */
async function* lines(records: AsyncIterable<ExportRecord>): AsyncGenerator<Buffer> {
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

/** The body as it arrives: the parser for this content type leaves it alone. */
const bytesOf = (body: unknown): AsyncIterable<Uint8Array> => {
  // Where reading it is given up, its connection still has to carry the answer.
  if (body instanceof Readable) return body.iterator({ destroyOnReturn: false });
  throw new InvalidValue('content-type', NDJSON, body === undefined || body === null ? 'no body' : 'JSON');
};

/** What was accepted before a fault, as the answer would have listed it. */
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
