import type { Journal } from '@palimpsest/contracts';
import { followDocuments } from '@palimpsest/contracts/routes/documents';
import { documentStream, knowledgeBaseStream } from '@palimpsest/knowledge/deciders';
import { NotFound } from '@palimpsest/knowledge/errors';
import { NO_ROWS, on, query, type UseCase } from '@palimpsest/knowledge/messages';
import type { Access } from '@palimpsest/knowledge/access';
import type { RecordedEvent, StreamName } from '@palimpsest/knowledge/ports';
import type { DocumentState, DocumentView, ReadModels } from '@palimpsest/knowledge/read-models';
import type { DocumentId, KnowledgeBaseId, Position } from '@palimpsest/knowledge/values';
import { hasRequiredLabels } from '../versions/latest-labels.ts';
import { documentNews, isReadable, type DocumentNews } from './document-news.ts';
import type { FindDocuments } from './find-documents.ts';

export type LiveDocuments = Readonly<{ document?: DocumentId; knowledgeBase?: KnowledgeBaseId }>;

export type DocumentChange = Readonly<{
  position: string;
  documentId: DocumentId;
  status: DocumentState | 'deleted';
  at: string;
  progress?: Readonly<{ chunks: number; of: number }>;
  document?: Omit<DocumentView, 'tenant'>;
}>;

export type Batches = AsyncIterable<Readonly<{ events: readonly RecordedEvent[]; upTo: Position }>>;

/** The changes that a caller may see, of batches of the log. */
export type DocumentStream = (
  batches: Batches,
  signal: AbortSignal,
) => AsyncGenerator<Readonly<{ position: Position; data?: DocumentChange }>>;

/** Follows documents. Each change is checked when it is sent. */
export class FollowDocuments extends query<LiveDocuments, DocumentStream>(followDocuments, NO_ROWS) {}

/** How long to wait for the catalog before checking whether the client is still connected. */
const CHECK_MS = 1_000;

/**
 * Live changes of documents. A change is sent once the catalog shows it, with the view of the catalog at that time. A later request
 * never returns an older state. Changes in the same batch are combined.
 */
export class FollowDocumentsHandler implements UseCase {
  readonly handlers = [on(FollowDocuments, ({ access, input }) => this.run(access, input))];
  readonly #find: Pick<FindDocuments, 'current'>;
  readonly #readModels: Pick<ReadModels, 'reached'>;
  readonly #journal: Journal;

  constructor(find: Pick<FindDocuments, 'current'>, readModels: Pick<ReadModels, 'reached'>, journal: Journal) {
    this.#find = find;
    this.#readModels = readModels;
    this.#journal = journal;
  }

  /** @throws NotFound, also if the caller may not read what it names */
  async run(access: Access, filter: LiveDocuments): Promise<DocumentStream> {
    await this.#refuseUnknown(access, filter);
    return (batches, signal) => this.changes(access, filter, batches, signal);
  }

  /** Reads the log, so that it knows documents that were just accepted. */
  async #refuseUnknown(access: Access, { document, knowledgeBase }: LiveDocuments): Promise<void> {
    const stream = document === undefined ? undefined : documentStream(access.tenant, document);
    if (stream !== undefined && !((await this.#mayRead(access, stream)) && (await hasRequiredLabels(this.#journal, access, stream))))
      throw new NotFound('document', String(document));
    if (knowledgeBase !== undefined && !(await this.#mayRead(access, knowledgeBaseStream(access.tenant, knowledgeBase))))
      throw new NotFound('knowledge base', knowledgeBase);
  }

  async #mayRead(access: Access, stream: StreamName): Promise<boolean> {
    for await (const first of this.#journal.log.readStream(stream, { limit: 1 })) return isReadable(access, first);
    return false;
  }

  async *changes(
    access: Access,
    filter: LiveDocuments,
    batches: Batches,
    signal: AbortSignal,
  ): AsyncGenerator<Readonly<{ position: Position; data?: DocumentChange }>> {
    for await (const { events, upTo } of batches) {
      const news = documentNews(access, events).filter(({ documentId }) => filter.document === undefined || documentId === filter.document);
      const last = news.at(-1);
      if (last) while (!signal.aborted && !(await this.#readModels.reached(last.position, CHECK_MS)));
      if (signal.aborted) return;
      for (const one of news) {
        const data = await this.#change(access, filter, one);
        if (data) yield { position: one.position, data };
      }
      yield { position: upTo };
    }
  }

  async #change(access: Access, { knowledgeBase }: LiveDocuments, news: DocumentNews): Promise<DocumentChange | undefined> {
    const { documentId, at, progress } = news;
    const view = await this.#find.current(access, documentId);
    // Missing but not deleted: the catalog is being rebuilt, or the deletion is in a later batch.
    if (!view && !news.deleted) return undefined;
    if (!view && !(await hasRequiredLabels(this.#journal, access, news.stream))) return undefined;
    if (knowledgeBase !== undefined && (view?.knowledgeBase ?? (await this.#knowledgeBaseOf(news.stream))) !== knowledgeBase)
      return undefined;
    const common = { position: String(news.position), documentId, at };
    if (!view) return { ...common, status: 'deleted' };
    const { tenant: _tenant, ...document } = view;
    return { ...common, status: view.status, ...(progress && view.status === 'processing' ? { progress } : {}), document };
  }

  async #knowledgeBaseOf(stream: StreamName): Promise<unknown> {
    for await (const first of this.#journal.log.readStream(stream, { limit: 1 })) return first.data['knowledgeBase'];
    return undefined;
  }
}
