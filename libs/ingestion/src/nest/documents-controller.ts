import { Body, Controller, Delete, Get, Headers, HttpCode, Inject, Param, Post, Put, Query, Req } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { documentId, InvalidValue, KnowledgeError, NotFound, START, laterOf } from '@palimpsest/knowledge';
import type { Position } from '@palimpsest/knowledge';
import { ApiQueries, Caller, jsonSchema, PartlyDone, Policy, problemOf, ReadModelWait, type CallerContext } from '@palimpsest/runtime';
import { chunksQuery, FindDocuments, listQuery } from '../documents/find-documents.ts';
import { DeleteDocument } from '../submission/delete-document.ts';
import { SubmitDocument, type NewDocument, type Submitted } from '../submission/submit-document.ts';

import { chunkBody, documentBody, submittedView } from './document-views.ts';
import { fromJson, fromMultipart, replacementBody, textDocument, type UploadedFile } from './document-input.ts';

type Rejected = Readonly<{ sourceId: string; status: 'rejected'; error: Readonly<{ code: string; detail: string }> }>;

/** How long a delete waits until reads no longer show the document. After that it reports that the read models lag. */
const DELETE_TIMEOUT_MS = 30_000;

const IF_MATCH = { name: 'if-match', required: false, schema: { type: 'string', pattern: '^(\\*|"?[1-9][0-9]{0,8}"?)$' }, description: 'the latest document version that the caller knows, in quotes: "3"; the request is refused if there is a newer one' };

@ApiTags('Documents')
@Controller('v1/documents')
export class DocumentsController {
  readonly #submit: SubmitDocument;
  readonly #delete: DeleteDocument;
  readonly #find: FindDocuments;
  readonly #visible: ReadModelWait;

  constructor(
    @Inject(SubmitDocument) submit: SubmitDocument,
    @Inject(DeleteDocument) remove: DeleteDocument,
    @Inject(FindDocuments) find: FindDocuments,
    @Inject(ReadModelWait) visible: ReadModelWait,
  ) {
    this.#submit = submit;
    this.#delete = remove;
    this.#find = find;
    this.#visible = visible;
  }

  @Post()
  @Policy({ body: 'documents' })
  @HttpCode(202)
  @ApiOperation({ summary: 'Add documents: text as JSON, or files as multipart/form-data (fields before files)' })
  @ApiConsumes('application/json', 'multipart/form-data')
  @ApiBody({ schema: jsonSchema(textDocument) })
  async submit(@Caller() caller: CallerContext, @Req() request: FastifyRequest, @Body() body: unknown) {
    if (!request.isMultipart()) return responseOf([await this.#submit.run(caller.access, fromJson(body), caller.correlationId)], []);
    const submitted: Submitted[] = [];
    const rejected: Rejected[] = [];
    await this.#submit.admit(caller.access);
    try {
      for await (const { name, document } of fromMultipart(request)) {
        try {
          submitted.push(await this.#submit.runAdmitted(caller.access, document(), caller.correlationId));
        } catch (error) {
          // After the first file, errors are reported for each file.
          if (submitted.length === 0 && rejected.length === 0) throw error;
          rejected.push(rejection(name, error));
        }
      }
    } catch (error) {
      // The form is incomplete or malformed. Documents that were accepted before stay accepted.
      throw submitted.length === 0 ? error : new PartlyDone(error, responseOf(submitted, rejected));
    }
    return responseOf(submitted, rejected);
  }

  @Put(':id')
  @Policy({ body: 'documents' })
  @HttpCode(202)
  @ApiHeader(IF_MATCH)
  @ApiOperation({ summary: 'Replace a document; its knowledge base and source stay the same. With If-Match: "<version>", refused if the document has a newer version' })
  @ApiConsumes('application/json', 'multipart/form-data')
  @ApiBody({ schema: jsonSchema(replacementBody) })
  async replace(
    @Caller() caller: CallerContext,
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Body() body: unknown,
    @Headers('if-match') ifMatch?: string,
  ) {
    const { document } = await this.#find.one(caller.access, documentId(id));
    const input = request.isMultipart() ? await onlyFile(fromMultipart(request)) : fromJson({ sourceId: document.sourceId, ...(body as object) });
    const onlyIfVersion = versionOf(ifMatch);
    const replacement: NewDocument = {
      ...input, knowledgeBase: document.knowledgeBase, sourceId: document.sourceId,
      ...(onlyIfVersion === undefined ? {} : { onlyIfVersion }),
    };
    return responseOf([await this.#submit.run(caller.access, replacement, caller.correlationId)], []);
  }

  @Delete(':id')
  @ApiHeader(IF_MATCH)
  @ApiOperation({ summary: 'Delete a document; searches no longer find it once the response arrives' })
  async remove(@Caller() { access, correlationId }: CallerContext, @Param('id') id: string, @Headers('if-match') ifMatch?: string) {
    const position = await this.#delete.run(access, documentId(id), correlationId, versionOf(ifMatch));
    await this.#visible.until(position, DELETE_TIMEOUT_MS, 'deleted');
    return { documentId: id, position: String(position) };
  }

  @Get()
  @ApiOperation({ summary: 'List the documents that the caller may read, sorted by source' })
  @ApiQueries(listQuery)
  async list(@Caller() { access }: CallerContext, @Query() query: Record<string, string>) {
    const { items, next, total } = await this.#find.list(access, query);
    return { documents: items.map(documentBody), ...(next === undefined ? {} : { next }), ...(total === undefined ? {} : { total }) };
  }

  @Get(':id')
  @ApiOperation({ summary: 'Get a document with its versions' })
  async get(@Caller() { access }: CallerContext, @Param('id') id: string) {
    const { document, versions } = await this.#find.one(access, documentId(id));
    return { ...documentBody(document), versions };
  }

  @Get(':id/chunks')
  @ApiOperation({ summary: 'List the chunks of a document' })
  @ApiQueries(chunksQuery)
  async chunks(@Caller() { access }: CallerContext, @Param('id') id: string, @Query() query: Record<string, string>) {
    const { items, next } = await this.#find.chunks(access, documentId(id), query);
    return { chunks: items.map(({ chunk, content }) => chunkBody(chunk, content)), ...(next === undefined ? {} : { next }) };
  }

  @Post(':id/retry')
  @HttpCode(202)
  @ApiOperation({ summary: 'Process a document again, as a new version with the same content' })
  async retry(@Caller() { access, correlationId }: CallerContext, @Param('id') id: string) {
    const wanted = documentId(id);
    await this.#find.one(access, wanted).catch((error: unknown) => {
      throw error instanceof NotFound ? new NotFound('document', id) : error;
    });
    return responseOf([await this.#submit.retry(access, wanted, correlationId)], []);
  }
}

const responseOf = (submitted: readonly Submitted[], rejected: readonly Rejected[]) => ({
  documents: [...submitted.map(submittedView), ...rejected],
  position: String(submitted.reduce<Position>((latest, { position }) => laterOf(latest, position), START)),
});

const rejection = (sourceId: string, error: unknown): Rejected => {
  if (!(error instanceof KnowledgeError)) throw error;
  const { code, detail } = problemOf(error);
  return { sourceId, status: 'rejected', error: { code, detail } };
};

const versionOf = (ifMatch: string | undefined): number | undefined => {
  if (ifMatch === undefined || ifMatch === '*') return undefined;
  const [, version] = /^"?([1-9][0-9]{0,8})"?$/.exec(ifMatch.trim()) ?? [];
  if (version === undefined) throw new InvalidValue('If-Match', 'a document version in quotes, like "3"', ifMatch);
  return Number(version);
};

/** Does not read a second file to its end. @throws InvalidValue */
const onlyFile = async (files: AsyncIterable<UploadedFile>): Promise<NewDocument> => {
  let only: UploadedFile | undefined;
  for await (const file of files) {
    if (only) throw new InvalidValue('file', 'exactly one file', 'several files');
    only = file;
  }
  if (!only) throw new InvalidValue('file', 'exactly one file', undefined);
  return only.document();
};
