import { Controller, Inject } from '@nestjs/common';
import {
  deleteDocument,
  getDocument,
  listChunks,
  listDocuments,
  replaceDocument,
  retryDocument,
  submitDocuments,
} from '@palimpsest/contracts/http';
import { InvalidValue, KnowledgeError, NotFound } from '@palimpsest/knowledge/errors';
import { START, laterOf } from '@palimpsest/knowledge/values';
import type { Position } from '@palimpsest/knowledge/values';
import { PartlyDone, problemOf, ReadModelWait, Route, type Call } from '@palimpsest/runtime';
import { FindDocuments } from '../documents/find-documents.ts';
import { DeleteDocument } from '../submission/delete-document.ts';
import { SubmitDocument, type NewDocument, type Submitted } from '../submission/submit-document.ts';
import { newDocument, uploadedFiles, type UploadedFile } from './document-input.ts';
import { chunkBody, documentBody, submittedView } from './document-views.ts';

type Rejected = Readonly<{ sourceId: string; status: 'rejected'; error: Readonly<{ code: string; detail: string }> }>;

/** How long a delete waits until reads no longer show the document. After that it reports that the read models lag. */
const DELETE_TIMEOUT_MS = 30_000;

@Controller()
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

  @Route(submitDocuments)
  async submit({ access, correlationId, body, request }: Call<typeof submitDocuments>) {
    if (body !== undefined) return responseOf([await this.#submit.run(access, newDocument(body), correlationId)], []);
    const submitted: Submitted[] = [];
    const rejected: Rejected[] = [];
    await this.#submit.admit(access);
    try {
      for await (const { name, document } of uploadedFiles(request)) {
        try {
          submitted.push(await this.#submit.runAdmitted(access, document(), correlationId));
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

  @Route(replaceDocument)
  async replace({ access, correlationId, params, headers, body, request }: Call<typeof replaceDocument>) {
    const { document } = await this.#find.one(access, params.id);
    const { sourceId, knowledgeBase } = document;
    const input = body === undefined ? await onlyFile(uploadedFiles(request)) : newDocument({ ...body, sourceId });
    const onlyIfVersion = headers['If-Match'];
    const replacement: NewDocument = { ...input, knowledgeBase, sourceId, ...(onlyIfVersion === undefined ? {} : { onlyIfVersion }) };
    return responseOf([await this.#submit.run(access, replacement, correlationId)], []);
  }

  @Route(deleteDocument)
  async remove({ access, correlationId, params, headers }: Call<typeof deleteDocument>) {
    const position = await this.#delete.run(access, params.id, correlationId, headers['If-Match']);
    await this.#visible.until(position, DELETE_TIMEOUT_MS, 'deleted');
    return { documentId: params.id, position: String(position) };
  }

  @Route(listDocuments)
  async list({ access, query }: Call<typeof listDocuments>) {
    const { items, next, total } = await this.#find.list(access, query);
    return { documents: items.map(documentBody), ...(next === undefined ? {} : { next }), ...(total === undefined ? {} : { total }) };
  }

  @Route(getDocument)
  async get({ access, params }: Call<typeof getDocument>) {
    const { document, versions } = await this.#find.one(access, params.id);
    return { ...documentBody(document), versions };
  }

  @Route(listChunks)
  async chunks({ access, params, query }: Call<typeof listChunks>) {
    const { items, next } = await this.#find.chunks(access, params.id, query);
    return { chunks: items.map(({ chunk, content }) => chunkBody(chunk, content)), ...(next === undefined ? {} : { next }) };
  }

  @Route(retryDocument)
  async retry({ access, correlationId, params: { id } }: Call<typeof retryDocument>) {
    await this.#find.one(access, id).catch((error: unknown) => {
      throw error instanceof NotFound ? new NotFound('document', id) : error;
    });
    return responseOf([await this.#submit.retry(access, id, correlationId)], []);
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
