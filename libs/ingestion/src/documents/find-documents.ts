import { z } from 'zod';
import { openText, parseInput, wire } from '@palimpsest/contracts';
import { authorise, DOCUMENT_STATES, NotFound, secondLook } from '@palimpsest/knowledge';
import type {
  Access, Catalog, ChunkText, DocumentId, DocumentVersionView, DocumentView, KnowledgeBaseId, KnowledgeBaseView, ListPage, PermittedScope, ScopeKeys, VisibleChunk,
} from '@palimpsest/knowledge';

const page = (most: number, usual: number) => ({
  limit: z.coerce.number().int().min(1).max(most).default(usual),
  cursor: z.string().max(4_000).exactOptional(),
});
/** The query parameters of the two lists. */
export const listQuery = z.strictObject({
  ...page(500, 50),
  knowledgeBase: wire.knowledgeBaseId.exactOptional(),
  status: z.enum(DOCUMENT_STATES).exactOptional(),
  source: z.string().min(1).max(1_024).exactOptional().describe('what their source begins with'),
  total: z.enum(['true', 'false']).default('false').describe('`true`: also how many there are on all pages; with many documents that takes longer than a page'),
});
export const chunksQuery = z.strictObject(page(500, 100));

/** What a caller may see of documents and knowledge bases: the catalogue is told the scopes, and what it answers is looked at again. */
export class FindDocuments {
  readonly #catalog: Catalog;
  readonly #keys: ScopeKeys;

  constructor(catalog: Catalog, keys: ScopeKeys) {
    this.#catalog = catalog;
    this.#keys = keys;
  }

  /** @throws InvalidValue; NotFound for a knowledge base that is not there for this caller */
  async list(access: Access, query: unknown): Promise<ListPage<DocumentView>> {
    const { total, ...parsed } = parseInput(listQuery, query);
    const scopes = await this.#readable(access);
    if (parsed.knowledgeBase !== undefined) await this.knowledgeBase(access, parsed.knowledgeBase);
    const page = await this.#catalog.documents(scopes, parsed);
    const { limit: _limit, cursor: _cursor, ...kept } = parsed;
    return { ...page, ...(total === 'true' ? { total: await this.#catalog.countDocuments(scopes, kept) } : {}), items: page.items.map((item) => secondLook(access, item)) };
  }

  /** @throws NotFound, also for what the caller may not read */
  async one(access: Access, id: DocumentId): Promise<Readonly<{ document: DocumentView; versions: readonly DocumentVersionView[] }>> {
    const scopes = await this.#readable(access);
    const document = await this.#catalog.document(scopes, id);
    if (!document) throw new NotFound('document', id);
    return { document: secondLook(access, document), versions: await this.#catalog.versions(scopes, id) };
  }

  /** Nothing for what the caller may not read. */
  async current(access: Access, id: DocumentId): Promise<DocumentView | undefined> {
    const document = await this.#catalog.document(await this.#readable(access), id);
    return document && secondLook(access, document);
  }

  /** @throws NotFound, InvalidValue */
  async chunks(access: Access, id: DocumentId, query: unknown): Promise<ListPage<Readonly<{ chunk: VisibleChunk; content: ChunkText }>>> {
    const parsed = parseInput(chunksQuery, query);
    const { document } = await this.one(access, id);
    const cipher = await this.#keys.cipher({ tenant: document.tenant, scope: document.scope });
    const { items, next } = await this.#catalog.chunksOf(await this.#readable(access), id, parsed);
    return { items: items.map((chunk) => ({ chunk: secondLook(access, chunk), content: openText(cipher, chunk.chunkId, chunk.sealedText) })), ...(next === undefined ? {} : { next }) };
  }

  async knowledgeBases(access: Access): Promise<readonly KnowledgeBaseView[]> {
    return (await this.#catalog.knowledgeBases(await this.#readable(access))).map((each) => secondLook(access, each));
  }

  /** @throws NotFound */
  async knowledgeBase(access: Access, id: KnowledgeBaseId): Promise<KnowledgeBaseView> {
    const found = await this.#catalog.knowledgeBase(await this.#readable(access), id);
    if (!found) throw new NotFound('knowledge base', id);
    return secondLook(access, found);
  }

  async #readable(access: Access): Promise<readonly PermittedScope[]> {
    return authorise(access, (await this.#catalog.scopes(access.tenant)).map(({ scope: { scope } }) => scope));
  }
}
