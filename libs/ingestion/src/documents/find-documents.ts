import { openText } from '@palimpsest/contracts';
import { getDocument, listChunks, listDocuments } from '@palimpsest/contracts/routes/documents';
import { getKnowledgeBase, listKnowledgeBases } from '@palimpsest/contracts/routes/knowledge-bases';
import { authorise, assertVisible } from '@palimpsest/knowledge/access';
import { NotFound } from '@palimpsest/knowledge/errors';
import { on, query, type UseCase } from '@palimpsest/knowledge/messages';
import type { Access, PermittedScope } from '@palimpsest/knowledge/access';
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
  Views,
  VisibleChunk,
} from '@palimpsest/knowledge/read-models';
import type { DocumentId, KnowledgeBaseId } from '@palimpsest/knowledge/values';

type Page = Readonly<{ limit: number; cursor?: string }>;
/** `total`: whether to count the documents on all pages. */
export type DocumentQuery = Page & Readonly<{ knowledgeBase?: KnowledgeBaseId; status?: DocumentState; source?: string; total?: boolean }>;

type FoundDocument = Readonly<{ document: DocumentView; versions: readonly DocumentVersionView[] }>;
type FoundChunk = Readonly<{ chunk: VisibleChunk; content: ChunkText }>;

export class ListDocuments extends query<DocumentQuery, ListPage<DocumentView>>(listDocuments, { shows: ({ items }) => items }) {}
export class GetDocument extends query<DocumentId, FoundDocument>(getDocument, { shows: ({ document }) => [document] }) {}
export class ListChunks extends query<Page & Readonly<{ id: DocumentId }>, ListPage<FoundChunk>>(listChunks, {
  shows: ({ items }) => items.map(({ chunk }) => chunk),
}) {}
export class ListKnowledgeBases extends query<void, readonly KnowledgeBaseView[]>(listKnowledgeBases, { shows: (bases) => bases }) {}
export class GetKnowledgeBase extends query<KnowledgeBaseId, KnowledgeBaseView>(getKnowledgeBase, { shows: (base) => [base] }) {}

/** The documents and knowledge bases that a caller may read: the catalog filters by scope. */
export class FindDocuments implements UseCase {
  readonly handlers = [
    on(ListDocuments, ({ access, input }) => this.list(access, input)),
    on(GetDocument, ({ access, input }) => this.one(access, input)),
    on(ListChunks, ({ access, input: { id, ...page } }) => this.chunks(access, id, page)),
    on(ListKnowledgeBases, ({ access }) => this.knowledgeBases(access)),
    on(GetKnowledgeBase, ({ access, input }) => this.knowledgeBase(access, input)),
  ];
  readonly #views: Views<CatalogView>;
  readonly #keys: ScopeKeys;

  constructor(views: Views<CatalogView>, keys: ScopeKeys) {
    this.#views = views;
    this.#keys = keys;
  }

  /** @throws InvalidValue (cursor); NotFound for a knowledge base that does not exist or that the caller may not read */
  async list(access: Access, { total, ...query }: DocumentQuery): Promise<ListPage<DocumentView>> {
    const { catalog, scopes } = await this.#readable(access);
    if (query.knowledgeBase !== undefined && !(await catalog.knowledgeBase(scopes, query.knowledgeBase)))
      throw new NotFound('knowledge base', query.knowledgeBase);
    const page = await catalog.documents(scopes, query);
    const { limit: _limit, cursor: _cursor, ...kept } = query;
    return {
      ...page,
      ...(total === true ? { total: await catalog.countDocuments(scopes, kept) } : {}),
    };
  }

  /** @throws NotFound, also for a document that the caller may not read */
  async one(access: Access, id: DocumentId): Promise<FoundDocument> {
    const { catalog, scopes } = await this.#readable(access);
    return { document: await visibleDocument(access, id, catalog, scopes), versions: await catalog.versions(scopes, id) };
  }

  /** Returns undefined for a document that does not exist or that the caller may not read. */
  async current(access: Access, id: DocumentId): Promise<DocumentView | undefined> {
    const { catalog, scopes } = await this.#readable(access);
    const document = await catalog.document(scopes, id);
    return document && assertVisible(access, document);
  }

  /** @throws NotFound, InvalidValue */
  async chunks(access: Access, id: DocumentId, page: Page): Promise<ListPage<FoundChunk>> {
    const { catalog, scopes } = await this.#readable(access);
    const document = await visibleDocument(access, id, catalog, scopes);
    const cipher = await this.#keys.cipher({ tenant: document.tenant, scope: document.scope });
    const { items, next } = await catalog.chunksOf(scopes, id, page);
    return {
      items: items.map((chunk) => ({ chunk, content: openText(cipher, chunk.chunkId, chunk.sealedText) })),
      ...(next === undefined ? {} : { next }),
    };
  }

  async knowledgeBases(access: Access): Promise<readonly KnowledgeBaseView[]> {
    const { catalog, scopes } = await this.#readable(access);
    return catalog.knowledgeBases(scopes);
  }

  /** @throws NotFound */
  async knowledgeBase(access: Access, id: KnowledgeBaseId): Promise<KnowledgeBaseView> {
    const { catalog, scopes } = await this.#readable(access);
    const found = await catalog.knowledgeBase(scopes, id);
    if (!found) throw new NotFound('knowledge base', id);
    return found;
  }

  /** The live catalog, and its scopes that the caller may read. A request asks once, so that it reads from one view. */
  async #readable(access: Access): Promise<Readonly<{ catalog: CatalogReader; scopes: readonly PermittedScope[] }>> {
    const { catalog } = this.#views.live();
    return {
      catalog,
      scopes: authorise(
        access,
        (await catalog.scopes(access.tenant)).map(({ scope: { scope } }) => scope),
      ),
    };
  }
}

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
