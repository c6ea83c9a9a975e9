import { z } from 'zod';
import { openText, parseInput, wire } from '@palimpsest/contracts';
import { authorise, DOCUMENT_STATES, NotFound, assertVisible } from '@palimpsest/knowledge';
import type {
  Access, Catalog, ChunkText, DocumentId, DocumentVersionView, DocumentView, KnowledgeBaseId, KnowledgeBaseView, ListPage, PermittedScope, ScopeKeys, VisibleChunk,
} from '@palimpsest/knowledge';

const page = (max: number, byDefault: number) => ({
  limit: z.coerce.number().int().min(1).max(max).default(byDefault),
  cursor: z.string().max(4_000).exactOptional(),
});
/** The query parameters of the two lists. */
export const listQuery = z.strictObject({
  ...page(500, 50),
  knowledgeBase: wire.knowledgeBaseId.exactOptional(),
  status: z.enum(DOCUMENT_STATES).exactOptional(),
  source: z.string().min(1).max(1_024).exactOptional().describe('only documents whose source starts with this text'),
  total: z.enum(['true', 'false']).default('false').describe('`true`: also return the total number of documents on all pages; slower than reading a page if there are many'),
});
export const chunksQuery = z.strictObject(page(500, 100));

/** The documents and knowledge bases that a caller may read. The catalog filters by scope, and each result is checked again. */
export class FindDocuments {
  readonly #catalog: Catalog;
  readonly #keys: ScopeKeys;

  constructor(catalog: Catalog, keys: ScopeKeys) {
    this.#catalog = catalog;
    this.#keys = keys;
  }

  /** @throws InvalidValue; NotFound for a knowledge base that does not exist or that the caller may not read */
  async list(access: Access, query: unknown): Promise<ListPage<DocumentView>> {
    const { total, ...parsed } = parseInput(listQuery, query);
    const scopes = await this.#readable(access);
    if (parsed.knowledgeBase !== undefined) await this.knowledgeBase(access, parsed.knowledgeBase);
    const page = await this.#catalog.documents(scopes, parsed);
    const { limit: _limit, cursor: _cursor, ...kept } = parsed;
    return { ...page, ...(total === 'true' ? { total: await this.#catalog.countDocuments(scopes, kept) } : {}), items: page.items.map((item) => assertVisible(access, item)) };
  }

  /** @throws NotFound, also for a document that the caller may not read */
  async one(access: Access, id: DocumentId): Promise<Readonly<{ document: DocumentView; versions: readonly DocumentVersionView[] }>> {
    const scopes = await this.#readable(access);
    const document = await this.#catalog.document(scopes, id);
    if (!document) throw new NotFound('document', id);
    return { document: assertVisible(access, document), versions: await this.#catalog.versions(scopes, id) };
  }

  /** Returns undefined for a document that does not exist or that the caller may not read. */
  async current(access: Access, id: DocumentId): Promise<DocumentView | undefined> {
    const document = await this.#catalog.document(await this.#readable(access), id);
    return document && assertVisible(access, document);
  }

  /** @throws NotFound, InvalidValue */
  async chunks(access: Access, id: DocumentId, query: unknown): Promise<ListPage<Readonly<{ chunk: VisibleChunk; content: ChunkText }>>> {
    const parsed = parseInput(chunksQuery, query);
    const { document } = await this.one(access, id);
    const cipher = await this.#keys.cipher({ tenant: document.tenant, scope: document.scope });
    const { items, next } = await this.#catalog.chunksOf(await this.#readable(access), id, parsed);
    return { items: items.map((chunk) => ({ chunk: assertVisible(access, chunk), content: openText(cipher, chunk.chunkId, chunk.sealedText) })), ...(next === undefined ? {} : { next }) };
  }

  async knowledgeBases(access: Access): Promise<readonly KnowledgeBaseView[]> {
    return (await this.#catalog.knowledgeBases(await this.#readable(access))).map((each) => assertVisible(access, each));
  }

  /** @throws NotFound */
  async knowledgeBase(access: Access, id: KnowledgeBaseId): Promise<KnowledgeBaseView> {
    const found = await this.#catalog.knowledgeBase(await this.#readable(access), id);
    if (!found) throw new NotFound('knowledge base', id);
    return assertVisible(access, found);
  }

  async #readable(access: Access): Promise<readonly PermittedScope[]> {
    return authorise(access, (await this.#catalog.scopes(access.tenant)).map(({ scope: { scope } }) => scope));
  }
}
