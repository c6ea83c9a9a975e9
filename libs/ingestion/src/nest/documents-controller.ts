import { Controller, Inject } from '@nestjs/common';
import {
  deleteDocument,
  deleteDocuments,
  getDocument,
  listChunks,
  listDocuments,
  replaceDocument,
  retryDocument,
  submitDocuments,
} from '@palimpsest/contracts/routes/documents';
import { filter } from '@palimpsest/knowledge/access';
import { PartlyAccepted } from '@palimpsest/knowledge/errors';
import { START, laterOf } from '@palimpsest/knowledge/values';
import type { Position } from '@palimpsest/knowledge/values';
import { Buses } from '@palimpsest/runtime';
import { PartlyDone, problemOf, ReadModelWait, Route, type Call } from '@palimpsest/http';
import { GetDocument, ListChunks, ListDocuments } from '../documents/find-documents.ts';
import { DeleteDocument } from '../submission/delete-document.ts';
import { DeleteDocuments } from '../submission/delete-documents.ts';
import type { Submitted } from '../submission/submit-document.ts';
import { ReplaceDocument, RetryDocument, SubmitDocuments, type Rejected } from '../submission/submit-documents.ts';
import { newDocument, onlyFile, uploadedFiles } from './document-input.ts';
import { chunkBody, documentBody, momentOf, selectedView, submittedView } from './document-views.ts';

/** How long a delete waits until reads no longer show the document. After that it reports that the read models lag. */
const DELETE_TIMEOUT_MS = 30_000;

@Controller()
export class DocumentsController {
  readonly #buses: Buses;
  readonly #visible: ReadModelWait;

  constructor(@Inject(Buses) buses: Buses, @Inject(ReadModelWait) visible: ReadModelWait) {
    this.#buses = buses;
    this.#visible = visible;
  }

  @Route(submitDocuments)
  async submit({ caller, body, request }: Call<typeof submitDocuments>) {
    const documents = body === undefined ? uploadedFiles(request) : [{ name: body.sourceId, document: () => newDocument(body) }];
    const { submitted, rejected } = await this.#buses.execute(new SubmitDocuments(caller, { documents })).catch(listAccepted);
    return responseOf([...submitted, ...rejected]);
  }

  @Route(replaceDocument)
  async replace({ caller, params, headers, body, request }: Call<typeof replaceDocument>) {
    const document = () => (body === undefined ? onlyFile(uploadedFiles(request)) : newDocument(body));
    const onlyIfVersion = headers['If-Match'];
    const replacement = { id: params.id, document, ...(onlyIfVersion === undefined ? {} : { onlyIfVersion }) };
    return responseOf([await this.#buses.execute(new ReplaceDocument(caller, replacement))]);
  }

  @Route(deleteDocument)
  async remove({ caller, params: { id }, headers }: Call<typeof deleteDocument>) {
    const onlyIfVersion = headers['If-Match'];
    const position = await this.#buses.execute(
      new DeleteDocument(caller, { id, ...(onlyIfVersion === undefined ? {} : { onlyIfVersion }) }),
    );
    await this.#visible.until(position, DELETE_TIMEOUT_MS, 'deleted');
    return { documentId: id, position: String(position) };
  }

  @Route(deleteDocuments)
  async removeMatching({ caller, body: { dryRun, expected, filter: given, ...named } }: Call<typeof deleteDocuments>) {
    const selection = { ...named, ...(given === undefined ? {} : { filter: filter(given) }) };
    const done = await this.#buses.execute(
      new DeleteDocuments(caller, { selection, dryRun, ...(expected === undefined ? {} : { expected }) }),
    );
    if (done.deleted > 0) await this.#visible.until(done.position, DELETE_TIMEOUT_MS, 'deleted');
    return { ...done, documents: done.documents.map(selectedView), position: String(done.position) };
  }

  @Route(listDocuments)
  async list({ caller, query: { filter: given, ...named } }: Call<typeof listDocuments>) {
    const query = { ...named, ...(given === undefined ? {} : { filter: filter(given) }) };
    const found = await this.#buses.execute(new ListDocuments(caller, query));
    const { items, next, total } = found.result;
    return {
      documents: items.map(documentBody),
      ...(next === undefined ? {} : { next }),
      ...(total === undefined ? {} : { total }),
      ...momentOf(found),
    };
  }

  @Route(getDocument)
  async get({ caller, params, query }: Call<typeof getDocument>) {
    const found = await this.#buses.execute(new GetDocument(caller, { ...params, ...query }));
    const { document, versions } = found.result;
    return { ...documentBody(document), versions, ...momentOf(found) };
  }

  @Route(listChunks)
  async chunks({ caller, params: { id }, query }: Call<typeof listChunks>) {
    const found = await this.#buses.execute(new ListChunks(caller, { id, ...query }));
    const { items, next } = found.result;
    return {
      chunks: items.map(({ chunk, content }) => chunkBody(chunk, content)),
      ...(next === undefined ? {} : { next }),
      ...momentOf(found),
    };
  }

  @Route(retryDocument)
  async retry({ caller, params: { id } }: Call<typeof retryDocument>) {
    return responseOf([await this.#buses.execute(new RetryDocument(caller, id))]);
  }
}

/** Accepted documents come first. */
const responseOf = (documents: readonly (Submitted | Rejected)[]) => ({
  documents: documents.map((each) => ('error' in each ? rejectedView(each) : submittedView(each))),
  position: String(documents.reduce<Position>((latest, each) => ('error' in each ? latest : laterOf(latest, each.position)), START)),
});

const rejectedView = ({ sourceId, error }: Rejected) => {
  const { code, detail } = problemOf(error);
  return { sourceId, status: 'rejected' as const, error: { code, detail } };
};

/** Adds the documents that were accepted before an error, in the format of the response. */
const listAccepted = (error: unknown): never => {
  throw error instanceof PartlyAccepted
    ? new PartlyDone(error.fault, responseOf(error.documents as readonly (Submitted | Rejected)[]))
    : error;
};
