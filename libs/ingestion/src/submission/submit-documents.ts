import { replaceDocument, retryDocument, submitDocuments } from '@palimpsest/contracts/routes/documents';
import { KnowledgeError, NotFound, PartlyAccepted } from '@palimpsest/knowledge/errors';
import { command, on, type Message, type UseCase } from '@palimpsest/knowledge/messages';
import type { DocumentId, SourceId } from '@palimpsest/knowledge/values';
import type { FindDocuments } from '../documents/find-documents.ts';
import type { NewDocument, SubmitDocument, Submitted } from './submit-document.ts';

/** A document of a request. `document` throws if this one is invalid, which need not affect the others. */
export type Upload = Readonly<{ name: string; document: () => NewDocument }>;
export type Uploads = Readonly<{ documents: Iterable<Upload> | AsyncIterable<Upload> }>;
export type Replacement = Readonly<{
  id: DocumentId;
  /** Read only if the document exists. Its knowledge base and source stay the same. */
  document: () => Omit<NewDocument, 'sourceId'> | Promise<Omit<NewDocument, 'sourceId'>>;
  /** Refuse with Conflict unless this is the latest version. */
  onlyIfVersion?: number;
}>;

export type Rejected = Readonly<{ sourceId: SourceId | string; error: KnowledgeError }>;
export type Submissions = Readonly<{ submitted: readonly Submitted[]; rejected: readonly Rejected[] }>;

/** One request, however many documents it adds. */
export class SubmitDocuments extends command<Uploads, Submissions>(submitDocuments) {}
export class ReplaceDocument extends command<Replacement, Submitted>(replaceDocument) {}
export class RetryDocument extends command<DocumentId, Submitted>(retryDocument) {}

/** The requests that add versions of documents. */
export class SubmitDocumentsHandler implements UseCase {
  readonly handlers = [
    on(SubmitDocuments, (message) => this.submit(message)),
    on(ReplaceDocument, (message) => this.replace(message)),
    on(RetryDocument, (message) => this.retry(message)),
  ];
  readonly #submit: SubmitDocument;
  readonly #find: Pick<FindDocuments, 'one'>;

  constructor(submit: SubmitDocument, find: Pick<FindDocuments, 'one'>) {
    this.#submit = submit;
    this.#find = find;
  }

  /**
   * Documents are accepted one at a time, as they arrive. After the first one, errors are reported for each document.
   * @throws the errors of the first document; PartlyAccepted if reading the documents fails after some were accepted
   */
  async submit({ access, correlationId, input: { documents } }: Message<Uploads, Submissions>): Promise<Submissions> {
    const submitted: Submitted[] = [];
    const rejected: Rejected[] = [];
    try {
      for await (const { name, document } of documents) {
        try {
          submitted.push(await this.#submit.run(access, document(), correlationId));
        } catch (error) {
          const isFirst = submitted.length === 0 && rejected.length === 0;
          if (isFirst || !(error instanceof KnowledgeError)) throw error;
          rejected.push({ sourceId: name, error });
        }
      }
    } catch (error) {
      // Documents that were accepted before stay accepted.
      throw submitted.length === 0 ? error : new PartlyAccepted(error, [...submitted, ...rejected]);
    }
    return { submitted, rejected };
  }

  /** @throws NotFound, and the errors of `SubmitDocument.run` */
  async replace({ access, correlationId, input }: Message<Replacement, Submitted>): Promise<Submitted> {
    const { id, document, onlyIfVersion } = input;
    const { knowledgeBase, sourceId } = (await this.#find.one(access, { id })).result.document;
    const replacement = { ...(await document()), id, knowledgeBase, sourceId, ...(onlyIfVersion === undefined ? {} : { onlyIfVersion }) };
    return this.#submit.run(access, replacement, correlationId);
  }

  /** @throws NotFound, Conflict, and the errors of `SubmitDocument.retry` */
  async retry({ access, correlationId, input: id }: Message<DocumentId, Submitted>): Promise<Submitted> {
    await this.#find.one(access, { id }).catch((error: unknown) => {
      throw error instanceof NotFound ? new NotFound('document', id) : error;
    });
    return this.#submit.retry(access, id, correlationId);
  }
}
