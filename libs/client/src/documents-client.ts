import type { FollowOptions } from './live/follow.ts';
import { path } from './transport.ts';
import type { CallOptions, InTime } from './call-options.ts';
import type { RetryNotice, Transport } from './transport.ts';
import type {
  ChunkPage,
  DocumentChange,
  DocumentDiff,
  DocumentDetails,
  DocumentPage,
  DocumentsDeleted,
  DocumentVersionDetails,
  DocumentView,
  Position,
  SubmissionResult,
} from '@palimpsest/contracts/http';
import type {
  DocumentChangeFilter,
  DocumentFields,
  DocumentFilter,
  DocumentSelection,
  FileContent,
  TextDocument,
  VersionPair,
} from './requests.ts';

/** `ifVersion`: write only if this is still the latest version; otherwise the call rejects with ProblemError, code `Conflict`. */
export type WriteOptions = CallOptions & Readonly<{ ifVersion?: number | undefined }>;

/** Options of one upload; they override those of the client. */
export type UploadOptions = CallOptions &
  Readonly<{
    /** Sends the request. `fetchWithProgress` reports how much of it was sent. */
    fetch?: typeof fetch | undefined;
    retries?: number | undefined;
    onRetry?: ((notice: RetryNotice) => void) | undefined;
  }>;

/** Everything about documents (`client.documents`). */
export class DocumentsClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  submitText(document: TextDocument, { signal }: CallOptions = {}): Promise<SubmissionResult> {
    return this.#transport.send({ method: 'POST', path: '/v1/documents', json: document, signal });
  }

  /**
   * Uploads files, one document each. Some may be accepted and others rejected: check the `status` of each.
   * If the form fails in the middle, the call rejects with a ProblemError whose `documents` list what was accepted before.
   * If the queue is full and nothing was accepted, the request is retried like any refused request.
   */
  upload(files: readonly FileContent[], fields: DocumentFields = {}, options: UploadOptions = {}): Promise<SubmissionResult> {
    return this.#transport.send({ method: 'POST', path: '/v1/documents', form: formOf(files, fields), ...options });
  }

  replaceText(documentId: string, document: Omit<TextDocument, 'sourceId'>, options: WriteOptions = {}): Promise<SubmissionResult> {
    const { signal, ifVersion } = options;
    return this.#transport.send({ method: 'PUT', path: path`/v1/documents/${documentId}`, json: document, ifMatch: ifVersion, signal });
  }

  replaceFile(documentId: string, file: FileContent, fields: DocumentFields = {}, options: WriteOptions = {}): Promise<SubmissionResult> {
    const { signal, ifVersion } = options;
    return this.#transport.send({
      method: 'PUT',
      path: path`/v1/documents/${documentId}`,
      form: formOf([file], fields),
      ifMatch: ifVersion,
      signal,
    });
  }

  /** When this resolves, no search returns the document. */
  remove(documentId: string, { signal, ifVersion }: WriteOptions = {}): Promise<{ documentId: string; position: Position }> {
    return this.#transport.send({ method: 'DELETE', path: path`/v1/documents/${documentId}`, ifMatch: ifVersion, signal });
  }

  /** At most 1,000 documents in one call: call it again while `remaining` is not 0. */
  removeMatching(which: DocumentSelection, { signal }: CallOptions = {}): Promise<DocumentsDeleted> {
    return this.#transport.send({ method: 'POST', path: '/v1/documents/delete', json: which, signal });
  }

  list({ total, filter, ...named }: DocumentFilter = {}, { signal }: CallOptions = {}): Promise<DocumentPage> {
    return this.#transport.send({
      method: 'GET',
      path: '/v1/documents',
      query: {
        ...named,
        ...(filter === undefined ? {} : { filter: JSON.stringify(filter) }),
        ...(total === undefined ? {} : { total: String(total) }),
      },
      signal,
    });
  }

  /** Every document that matches the filter, page by page. */
  async *listAll(filter: Omit<DocumentFilter, 'cursor'> = {}, options: CallOptions = {}): AsyncGenerator<DocumentView> {
    let cursor: string | undefined;
    do {
      const page: DocumentPage = await this.list({ limit: 200, ...filter, cursor }, options);
      yield* page.documents;
      cursor = page.next;
    } while (cursor !== undefined);
  }

  get(documentId: string, { asOf, signal }: InTime = {}): Promise<DocumentDetails> {
    return this.#transport.send({ method: 'GET', path: path`/v1/documents/${documentId}`, query: { asOf }, signal });
  }

  chunks(
    documentId: string,
    page: { limit?: number; cursor?: string; asOf?: string } = {},
    { signal }: CallOptions = {},
  ): Promise<ChunkPage> {
    return this.#transport.send({ method: 'GET', path: path`/v1/documents/${documentId}/chunks`, query: page, signal });
  }

  /** A version with a page of its chunks, also one that was replaced, and of a deleted document. */
  version(
    documentId: string,
    version: number,
    page: { limit?: number; cursor?: string } = {},
    { signal }: CallOptions = {},
  ): Promise<DocumentVersionDetails> {
    return this.#transport.send({
      method: 'GET',
      path: path`/v1/documents/${documentId}/versions/${String(version)}`,
      query: page,
      signal,
    });
  }

  /** By default the last two versions that were indexed. */
  diff(documentId: string, versions: VersionPair = {}, { signal }: CallOptions = {}): Promise<DocumentDiff> {
    return this.#transport.send({ method: 'GET', path: path`/v1/documents/${documentId}/diff`, query: versions, signal });
  }

  /** Documents as their state changes; reconnects automatically. Changes that arrive together are reported as one, the latest. */
  follow(filter: DocumentChangeFilter = {}, options: FollowOptions = {}): AsyncGenerator<DocumentChange> {
    return this.#transport.followShown('/v1/documents/live', filter, options);
  }

  /** Processes a document again, as a new version with the same bytes. */
  retry(documentId: string, { signal }: CallOptions = {}): Promise<SubmissionResult> {
    return this.#transport.send({ method: 'POST', path: path`/v1/documents/${documentId}/retry`, signal });
  }
}

/** Fields come before files, because the server reads the parts in order. A single file is named by a field, which preserves any name. */
const formOf = (files: readonly FileContent[], fields: DocumentFields): FormData => {
  const form = new FormData();
  if (fields.knowledgeBase !== undefined) form.append('knowledgeBase', fields.knowledgeBase);
  if (fields.labels !== undefined) form.append('labels', JSON.stringify(fields.labels));
  if (fields.origin !== undefined) form.append('origin', fields.origin);
  if (fields.title !== undefined) form.append('title', fields.title);
  if (fields.subject !== undefined) form.append('subject', fields.subject);
  if (fields.force !== undefined) form.append('force', String(fields.force));
  const [only] = files;
  if (files.length === 1 && only !== undefined) form.append('sourceId', only.name);
  for (const file of files) form.append('file', blobOf(file), file.name);
  return form;
};

/** A Blob cannot be created from shared memory, and no caller passes any; the type Uint8Array does not express that. */
const blobOf = ({ content, mediaType }: FileContent): Blob =>
  content instanceof Blob && mediaType === undefined
    ? content
    : new Blob([content as Blob | Uint8Array<ArrayBuffer>], { type: mediaType ?? '' });
