import { cipherOf, openText } from '@palimpsest/contracts';
import { getDocument, listChunks, listDocuments } from '@palimpsest/contracts/routes/documents';
import { getKnowledgeBase, listKnowledgeBases } from '@palimpsest/contracts/routes/knowledge-bases';
import { assertVisible } from '@palimpsest/knowledge/access';
import { type AsOf, lookBack, type LookedBack, type ViewsInTime } from '@palimpsest/knowledge/past';
import { NotFound } from '@palimpsest/knowledge/errors';
import { on, query, type UseCase } from '@palimpsest/knowledge/messages';
import type { Access, Filter, PermittedScope } from '@palimpsest/knowledge/access';
import type { ChunkText } from '@palimpsest/knowledge/events';
import type { ScopeKeys } from '@palimpsest/knowledge/ports';
import type {
  CatalogReader,
  CatalogView,
  DocumentState,
  DocumentVersionView,
  DocumentView,
  KnowledgeBaseView,
  ListPage,
  VisibleChunk,
} from '@palimpsest/knowledge/read-models';
import type { DocumentId, KnowledgeBaseId } from '@palimpsest/knowledge/values';
import { countFiltered, documentCondition, filteredPage } from './document-filter.ts';
import { readable, type Readable } from './readable.ts';

/** `asOf`: as it was at a moment in the past. */
type InTime = Readonly<{ asOf?: AsOf }>;
type Page = InTime & Readonly<{ limit: number; cursor?: string }>;
/** `asOf`: the moment that the result shows, if it is in the past. */
export type At<Result> = Readonly<{ result: Result; asOf?: LookedBack }>;
/** `filter`: as of a deletion. `total`: whether to count the documents on all pages. */
export type DocumentQuery = Page &
  Readonly<{ knowledgeBase?: KnowledgeBaseId; status?: DocumentState; source?: string; filter?: Filter; total?: boolean }>;

type FoundDocument = Readonly<{ document: DocumentView; versions: readonly DocumentVersionView[] }>;
type FoundChunk = Readonly<{ chunk: VisibleChunk; content: ChunkText }>;

export class ListDocuments extends query<DocumentQuery, At<ListPage<DocumentView>>>(listDocuments, {
  shows: ({ result: { items } }) => items,
}) {}
export class GetDocument extends query<InTime & Readonly<{ id: DocumentId }>, At<FoundDocument>>(getDocument, {
  shows: ({ result: { document } }) => [document],
}) {}
export class ListChunks extends query<Page & Readonly<{ id: DocumentId }>, At<ListPage<FoundChunk>>>(listChunks, {
  shows: ({ result: { items } }) => items.map(({ chunk }) => chunk),
}) {}
export class ListKnowledgeBases extends query<InTime, At<readonly KnowledgeBaseView[]>>(listKnowledgeBases, {
  shows: ({ result }) => result,
}) {}
export class GetKnowledgeBase extends query<InTime & Readonly<{ id: KnowledgeBaseId }>, At<KnowledgeBaseView>>(getKnowledgeBase, {
  shows: ({ result }) => [result],
}) {}

/** The documents and knowledge bases that a caller may read, now or in the past: the catalog filters by scope. */
export class FindDocuments implements UseCase {
  readonly handlers = [
    on(ListDocuments, ({ access, input }) => this.list(access, input)),
    on(GetDocument, ({ access, input }) => this.one(access, input)),
    on(ListChunks, ({ access, input: { id, ...page } }) => this.chunks(access, id, page)),
    on(ListKnowledgeBases, ({ access, input }) => this.knowledgeBases(access, input)),
    on(GetKnowledgeBase, ({ access, input }) => this.knowledgeBase(access, input)),
  ];
  readonly #ports: ViewsInTime<CatalogView> & Readonly<{ keys: ScopeKeys }>;

  constructor(ports: ViewsInTime<CatalogView> & Readonly<{ keys: ScopeKeys }>) {
    this.#ports = ports;
  }

  /** @throws InvalidValue (cursor, filter); NotFound for a knowledge base that does not exist or that the caller may not read */
  list(access: Access, { total, asOf, filter, ...query }: DocumentQuery): Promise<At<ListPage<DocumentView>>> {
    const { knowledgeBase } = query;
    return this.#reading(access, { asOf, knowledgeBase }, async ({ catalog, scopes }, today) => {
      if (knowledgeBase !== undefined && !(await exists(knowledgeBase, [{ catalog, scopes }, ...today])))
        throw new NotFound('knowledge base', knowledgeBase);
      const { limit: _limit, cursor: _cursor, ...kept } = query;
      const of = { catalog, scopes };
      const isWanted = filter && (await documentCondition(of, filter, knowledgeBase));
      const page = await (isWanted ? filteredPage(of, query, isWanted) : catalog.documents(scopes, query));
      if (total !== true) return page;
      return { ...page, total: await (isWanted ? countFiltered(of, kept, isWanted) : catalog.countDocuments(scopes, kept)) };
    });
  }

  /** @throws NotFound, also for a document that the caller may not read */
  one(access: Access, { id, asOf }: InTime & Readonly<{ id: DocumentId }>): Promise<At<FoundDocument>> {
    return this.#readingDocument(access, id, asOf, async ({ catalog, scopes }) => ({
      document: await visibleDocument(access, id, catalog, scopes),
      versions: await catalog.versions(scopes, id),
    }));
  }

  /** Returns undefined for a document that does not exist or that the caller may not read. */
  async current(access: Access, id: DocumentId): Promise<DocumentView | undefined> {
    const { catalog, scopes } = await readable(access, this.#ports.views.live().catalog);
    const document = await catalog.document(scopes, id);
    return document && assertVisible(access, document);
  }

  /** @throws NotFound, InvalidValue */
  chunks(access: Access, id: DocumentId, { asOf, ...page }: Page): Promise<At<ListPage<FoundChunk>>> {
    return this.#readingDocument(access, id, asOf, async ({ catalog, scopes }) => {
      const document = await visibleDocument(access, id, catalog, scopes);
      const { items, next } = await catalog.chunksOf(scopes, id, page);
      const opened: FoundChunk[] = [];
      for (const chunk of items) {
        const cipher = await cipherOf(this.#ports.keys, document, chunk.sealedText);
        opened.push({ chunk, content: openText(cipher, chunk.chunkId, chunk.sealedText) });
      }
      return { items: opened, ...(next === undefined ? {} : { next }) };
    });
  }

  knowledgeBases(access: Access, { asOf }: InTime): Promise<At<readonly KnowledgeBaseView[]>> {
    return this.#reading(access, { asOf }, ({ catalog, scopes }) => catalog.knowledgeBases(scopes));
  }

  /** @throws NotFound */
  knowledgeBase(access: Access, { id, asOf }: InTime & Readonly<{ id: KnowledgeBaseId }>): Promise<At<KnowledgeBaseView>> {
    return this.#reading(access, { asOf, knowledgeBase: id }, async ({ catalog, scopes }) => {
      const found = await catalog.knowledgeBase(scopes, id);
      if (!found) throw new NotFound('knowledge base', id);
      return found;
    });
  }

  /** The same for a document: history that was removed from other scopes does not concern it. Where it is now deleted, its scope is unknown. */
  async #readingDocument<Result>(
    access: Access,
    id: DocumentId,
    asOf: AsOf | undefined,
    read: (then: Readable) => Promise<Result>,
  ): Promise<At<Result>> {
    const knowledgeBase = asOf && (await this.current(access, id))?.knowledgeBase;
    return this.#reading(access, { asOf, knowledgeBase }, read);
  }

  /**
   * The catalog of the moment, and its scopes that the caller may read. A request asks once, so that it reads from one view. `today`: for a
   * moment in the past, those of now.
   */
  #reading<Result>(
    access: Access,
    { asOf, knowledgeBase }: Readonly<{ asOf: AsOf | undefined; knowledgeBase?: KnowledgeBaseId | undefined }>,
    read: (then: Readable, today: readonly Readable[]) => Promise<Result>,
  ): Promise<At<Result>> {
    const looking = { access, ...(asOf ? { asOf } : {}), ...(knowledgeBase === undefined ? {} : { knowledgeBases: [knowledgeBase] }) };
    return lookBack(this.#ports, looking, async ({ catalog }, now) =>
      read(await readable(access, catalog), now === undefined ? [] : [await readable(access, now)]),
    );
  }
}

const exists = async (id: KnowledgeBaseId, all: readonly Readable[]): Promise<boolean> => {
  for (const { catalog, scopes } of all) if (await catalog.knowledgeBase(scopes, id)) return true;
  return false;
};

const visibleDocument = async (
  access: Access,
  id: DocumentId,
  catalog: CatalogReader,
  scopes: readonly PermittedScope[],
): Promise<DocumentView> => {
  const document = await catalog.document(scopes, id);
  if (!document) throw new NotFound('document', id);
  return assertVisible(access, document);
};
