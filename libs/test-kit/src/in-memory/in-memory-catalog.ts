import { InvalidValue, Unavailable } from '@palimpsest/knowledge/errors';
import { DOCUMENT_STATES } from '@palimpsest/knowledge/read-models';
import type { SynonymsInScope } from '@palimpsest/knowledge/texts';
import { satisfies, type DeclaredFields, type PermittedScope } from '@palimpsest/knowledge/access';
import { DEFAULT_CHUNK_LIST, scopeKey, START } from '@palimpsest/knowledge/values';
import type { TenantUse } from '@palimpsest/knowledge/limits';
import type {
  Catalog,
  CatalogChange,
  CatalogRow,
  CatalogRowName,
  CatalogStore,
  DeferredDocument,
  DocumentQuery,
  DocumentVersionView,
  DocumentView,
  KnowledgeBaseView,
  LanguageCount,
  LanguageOfBase,
  ListPage,
  RefusedChunks,
  ScopeCounts,
  ScopeView,
  StateCounts,
  VisibleChunk,
  WaitingDocument,
} from '@palimpsest/knowledge/read-models';
import type {
  ChunkId,
  ChunkListId,
  DocumentId,
  KnowledgeBaseId,
  Position,
  Digest,
  TenantId,
  TenantScope,
} from '@palimpsest/knowledge/values';
import { plainCopy } from './plain-copy.ts';
import {
  applyChange,
  copyOf,
  emptyTables,
  listOf,
  withItemsOf,
  withRowsOf,
  withScopesOf,
  type CatalogItems,
  type CatalogTables,
  type DocumentRow,
} from './catalog-tables.ts';

type Stored = { tables: CatalogTables; position: Position };

/** The catalog as plain lists, for specs of code that uses it. */
export class InMemoryCatalog implements Catalog {
  readonly #stored: Stored;
  #closed = false;

  constructor(stored: Stored = { tables: emptyTables(), position: START }) {
    this.#stored = stored;
  }

  reopened(): InMemoryCatalog {
    return new InMemoryCatalog(this.#stored);
  }

  /** Another catalog with the present contents, which later changes of this one do not affect. */
  copy(): InMemoryCatalog {
    return new InMemoryCatalog({ ...this.#stored });
  }

  async position(): Promise<Position> {
    return this.#stored.position;
  }

  async apply(changes: readonly CatalogChange[], upTo: Position): Promise<void> {
    if (this.#closed) throw new Unavailable('the catalog is closed');
    if (upTo <= this.#stored.position) return;
    const tables = copyOf(this.#stored.tables);
    for (const change of changes) applyChange(tables, plainCopy(change));
    this.#stored.tables = tables;
    this.#stored.position = upTo;
  }

  async replaceScopes(scopes: readonly TenantScope[], from: CatalogStore, except: readonly DocumentId[] = []): Promise<void> {
    if (!(from instanceof InMemoryCatalog)) throw new TypeError('the other catalog is not in memory');
    this.#stored.tables = withScopesOf(this.#stored.tables, scopes, from.#stored.tables, except);
  }

  async replaceRows(names: readonly CatalogRowName[], from: CatalogStore): Promise<void> {
    if (!(from instanceof InMemoryCatalog)) throw new TypeError('the other catalog is not in memory');
    this.#stored.tables = withRowsOf(this.#stored.tables, names, from.#stored.tables);
  }

  async replaceItems(items: CatalogItems, from: CatalogStore): Promise<void> {
    if (!(from instanceof InMemoryCatalog)) throw new TypeError('the other catalog is not in memory');
    this.#stored.tables = withItemsOf(this.#stored.tables, items, from.#stored.tables);
  }

  /** Changes rows as no fact does; the position stays. */
  damage(changes: readonly CatalogChange[]): void {
    const tables = copyOf(this.#stored.tables);
    for (const change of changes) applyChange(tables, plainCopy(change));
    this.#stored.tables = tables;
  }

  async reset(): Promise<void> {
    this.#stored.tables = emptyTables();
    this.#stored.position = START;
  }

  async knowledgeBases(scopes: readonly PermittedScope[]): Promise<readonly KnowledgeBaseView[]> {
    const { knowledgeBases, documents } = this.#stored.tables;
    return within(scopes, knowledgeBases)
      .sort((a, b) => compare(a.id, b.id))
      .map((found) => ({
        ...found,
        documents: documents
          .filter((document) => scopes.every(({ requiredLabels }) => satisfies(document.labels, requiredLabels)))
          .filter(({ tenant, knowledgeBase }) => tenant === found.tenant && knowledgeBase === found.id).length,
      }));
  }

  async knowledgeBase(scopes: readonly PermittedScope[], id: KnowledgeBaseId): Promise<KnowledgeBaseView | undefined> {
    return (await this.knowledgeBases(scopes)).find((found) => found.id === id);
  }

  async declaredFields(scopes: readonly PermittedScope[]): Promise<readonly DeclaredFields[]> {
    return (await this.knowledgeBases(scopes)).map(({ id, fields, strategy }) => ({
      id,
      ...(fields === undefined ? {} : { fields }),
      ...(strategy === undefined ? {} : { strategy }),
    }));
  }

  async synonyms(scopes: readonly PermittedScope[]): Promise<readonly SynonymsInScope[]> {
    return (await this.knowledgeBases(scopes)).flatMap(({ id, scope, synonyms }) =>
      synonyms === undefined ? [] : [{ id, scope, synonyms }],
    );
  }

  async documents(
    scopes: readonly PermittedScope[],
    { knowledgeBase, status, source, limit, cursor }: DocumentQuery,
  ): Promise<ListPage<DocumentView>> {
    const after = cursor === undefined ? undefined : readCursor(cursor);
    const found = this.#kept(scopes, {
      ...(knowledgeBase === undefined ? {} : { knowledgeBase }),
      ...(status === undefined ? {} : { status }),
      ...(source === undefined ? {} : { source }),
    })
      .sort(bySource)
      .filter((document) => after === undefined || bySource(document, { sourceId: after[0], documentId: after[1] }) > 0);
    return page(
      found,
      limit,
      (document) => this.#view(document),
      ({ sourceId, documentId }) => [sourceId, documentId],
    );
  }

  async countDocuments(scopes: readonly PermittedScope[], query: Omit<DocumentQuery, 'limit' | 'cursor'>): Promise<number> {
    return this.#kept(scopes, query).length;
  }

  #kept(scopes: readonly PermittedScope[], { knowledgeBase, status, source }: Omit<DocumentQuery, 'limit' | 'cursor'>) {
    return documentsWithin(scopes, this.#stored.tables.documents)
      .filter((document) => knowledgeBase === undefined || document.knowledgeBase === knowledgeBase)
      .filter((document) => status === undefined || document.status === status)
      .filter((document) => source === undefined || document.sourceId.startsWith(source));
  }

  async document(scopes: readonly PermittedScope[], id: DocumentId): Promise<DocumentView | undefined> {
    const found = this.#document(scopes, id);
    return found && this.#view(found);
  }

  async existing(scopes: readonly PermittedScope[], ids: readonly DocumentId[]): Promise<ReadonlySet<DocumentId>> {
    return new Set(ids.filter((id) => this.#document(scopes, id) !== undefined));
  }

  async versions(scopes: readonly PermittedScope[], id: DocumentId): Promise<readonly DocumentVersionView[]> {
    return [...(this.#document(scopes, id)?.versions ?? [])].sort((a, b) => a.version - b.version);
  }

  async chunksOf(
    scopes: readonly PermittedScope[],
    id: DocumentId,
    { limit, cursor }: Readonly<{ limit: number; cursor?: string }>,
  ): Promise<ListPage<VisibleChunk>> {
    const after = cursor === undefined ? -1 : Number(readCursor(cursor)[0]);
    if (!Number.isInteger(after)) throw wrongCursor(cursor);
    const document = this.#document(scopes, id);
    const found = document ? permittedChunks(scopes, document).filter(({ index }) => index > after) : [];
    return page(
      found,
      limit,
      (chunk) => chunk,
      ({ index }) => [String(index), ''],
    );
  }

  async chunks(scopes: readonly PermittedScope[], ids: readonly ChunkId[], list?: ChunkListId): Promise<readonly VisibleChunk[]> {
    const wanted = new Set(ids);
    return documentsWithin(scopes, this.#stored.tables.documents)
      .flatMap((document) => permittedChunks(scopes, document, list))
      .filter(({ chunkId }) => wanted.has(chunkId));
  }

  async chunksBetween(...[scopes, id, { from, to }, list]: Parameters<Catalog['chunksBetween']>): Promise<readonly VisibleChunk[]> {
    const document = this.#document(scopes, id);
    return document ? permittedChunks(scopes, document, list).filter(({ index }) => index >= from && index <= to) : [];
  }

  async visible(scopes: readonly PermittedScope[], ids: readonly ChunkId[], list?: ChunkListId): Promise<ReadonlySet<ChunkId>> {
    return new Set((await this.chunks(scopes, ids, list)).map(({ chunkId }) => chunkId));
  }

  async documentCounts(tenant?: TenantId): Promise<StateCounts> {
    return this.#count(this.#ofTenant(tenant));
  }

  async countsIn(scopes: readonly PermittedScope[]): Promise<ScopeCounts> {
    const documents = documentsWithin(scopes, this.#stored.tables.documents);
    return { documents: this.#count(documents), chunks: documents.flatMap((document) => visibleChunks(document)).length };
  }

  async use(tenant: TenantId): Promise<TenantUse> {
    const own = this.#stored.tables.documents.filter((document) => document.tenant === tenant);
    const sum = (of: (document: (typeof own)[number]) => number) => own.reduce((total, document) => total + of(document), 0);
    const knowledgeBases = this.#stored.tables.knowledgeBases.filter((base) => base.tenant === tenant && base.status !== 'archived').length;
    return { documents: own.length, chunks: sum(({ chunks }) => chunks), bytes: sum(({ bytes }) => bytes), knowledgeBases };
  }

  async documentSize(tenant: TenantId, id: DocumentId): Promise<Readonly<{ bytes: number; chunks: number }> | undefined> {
    const found = this.#stored.tables.documents.find((document) => document.tenant === tenant && document.documentId === id);
    return found && { bytes: found.bytes, chunks: found.chunks };
  }

  async chunkCount(tenant?: TenantId): Promise<number> {
    return this.#ofTenant(tenant).flatMap((document) => visibleChunks(document)).length;
  }

  async refusedChunks(tenant?: TenantId): Promise<RefusedChunks> {
    const documents = this.#ofTenant(tenant);
    const sum = (of: (document: DocumentRow) => number) => documents.reduce((total, document) => total + of(document), 0);
    return { failedChunks: sum(({ failedChunks }) => failedChunks), withoutVector: sum((document) => this.#withoutVector(document)) };
  }

  async scopes(tenant?: TenantId): Promise<readonly ScopeView[]> {
    return plainCopy(this.#stored.tables.scopes.filter(({ scope }) => tenant === undefined || scope.tenant === tenant)).sort((a, b) =>
      compare(scopeKey(a.scope), scopeKey(b.scope)),
    );
  }

  async indexedDocuments(
    { tenant, scope }: TenantScope,
    limit: number,
    after?: DocumentId,
    of?: LanguageOfBase,
  ): Promise<readonly DocumentId[]> {
    return this.#ofTenant(tenant)
      .filter((document) => document.scope === scope && document.indexedVersion !== undefined)
      .filter(({ knowledgeBase, language }) => of === undefined || (knowledgeBase === of.knowledgeBase && language === of.language))
      .map(({ documentId }) => documentId)
      .sort()
      .filter((id) => after === undefined || id > after)
      .slice(0, limit);
  }

  async listedVersions(
    { tenant, scope }: TenantScope,
    list: ChunkListId,
    ids: readonly DocumentId[],
  ): Promise<ReadonlyMap<DocumentId, number>> {
    const found = this.#ofTenant(tenant).filter((document) => document.scope === scope && ids.includes(document.documentId));
    return new Map(
      found.flatMap((document) => {
        const listed = listOf(document, list);
        return listed ? [[document.documentId, listed.indexed.version] as const] : [];
      }),
    );
  }

  async notRechunked(scope: PermittedScope, list: ChunkListId, limit: number): ReturnType<Catalog['notRechunked']> {
    const items = documentsWithin([scope], this.#stored.tables.documents)
      .flatMap((document) => {
        const reason = listOf(document, list)?.notRechunked;
        const { documentId, sourceId } = document;
        return reason === undefined ? [] : [{ documentId, scope: document.scope, sourceId, reason }];
      })
      .sort((a, b) => compare(a.documentId, b.documentId));
    return { total: items.length, items: items.slice(0, limit) };
  }

  async languages({ tenant, scope }: TenantScope): Promise<readonly LanguageCount[]> {
    const counts = new Map<string, LanguageCount>();
    for (const document of this.#ofTenant(tenant)) {
      const { knowledgeBase, language } = document;
      const chunks = document.scope === scope ? visibleChunks(document).length : 0;
      if (chunks === 0) continue;
      const key = `${knowledgeBase}/${language}`;
      const { documents: others, chunks: more } = counts.get(key) ?? { documents: 0, chunks: 0 };
      counts.set(key, { knowledgeBase, language, documents: others + 1, chunks: chunks + more });
    }
    return [...counts.values()];
  }

  async waitingDocuments(
    tenant: TenantId,
    id: KnowledgeBaseId,
    limit: number,
    after: Pick<WaitingDocument, 'documentId' | 'submittedAt'> | undefined = undefined,
  ): Promise<readonly WaitingDocument[]> {
    const key = (document: Pick<WaitingDocument, 'documentId' | 'submittedAt'>) => `${document.submittedAt} ${document.documentId}`;
    return this.#ofTenant(tenant)
      .filter((document) => document.knowledgeBase === id && isWaiting(document))
      .map(({ documentId, scope, version, submittedAt }) => ({ documentId, scope, version, submittedAt }))
      .sort((a, b) => compare(key(a), key(b)))
      .filter((document) => after === undefined || key(document) > key(after))
      .slice(0, limit);
  }

  async deletingKnowledgeBases(): ReturnType<Catalog['deletingKnowledgeBases']> {
    return this.#stored.tables.knowledgeBases.filter(({ status }) => status === 'deleting').map(({ tenant, id }) => ({ tenant, id }));
  }

  async documentsIn(tenant: TenantId, id: KnowledgeBaseId, limit: number, after?: DocumentId): Promise<readonly DocumentId[]> {
    return this.#ofTenant(tenant)
      .filter(({ knowledgeBase, documentId }) => knowledgeBase === id && (after === undefined || documentId > after))
      .map(({ documentId }) => documentId)
      .sort()
      .slice(0, limit);
  }

  async deferredDocuments({ tenant, scope }: TenantScope, limit: number): Promise<readonly DeferredDocument[]> {
    return this.#ofTenant(tenant)
      .filter(
        (document) =>
          document.scope === scope && document.deferredAt !== undefined && !this.#paused().includes(`${tenant}/${document.knowledgeBase}`),
      )
      .sort((a, b) => compare(`${a.submittedAt} ${a.documentId}`, `${b.submittedAt} ${b.documentId}`))
      .map(({ documentId, version, deferredAt = '' }) => ({ documentId, version, deferredAt }))
      .slice(0, limit);
  }

  async *contentHashes(
    { tenant, scope }: TenantScope,
    list?: ChunkListId,
  ): AsyncIterable<Readonly<{ chunkId: ChunkId; contentHash: Digest }>> {
    const chunks = this.#ofTenant(tenant)
      .filter((document) => document.scope === scope)
      .flatMap((document) => visibleChunks(document, list));
    yield* chunks.map(({ chunkId, contentHash }) => ({ chunkId, contentHash })).sort((a, b) => compare(a.chunkId, b.chunkId));
  }

  async documentsOf({ tenant, scope }: TenantScope, list: ChunkListId, ids: readonly ChunkId[]): Promise<ReadonlyMap<ChunkId, DocumentId>> {
    const found = this.#ofTenant(tenant)
      .filter((document) => document.scope === scope)
      .flatMap((document) => (listOf(document, list)?.chunkRows ?? []).map(({ chunkId }) => [chunkId, document.documentId] as const));
    return new Map(found.filter(([chunkId]) => ids.includes(chunkId)));
  }

  async *rows(): AsyncIterable<CatalogRow> {
    const { knowledgeBases, documents, scopes } = this.#stored.tables;
    for (const { tenant, scope, id, ...base } of knowledgeBases)
      yield { table: 'knowledge bases', tenant, scope, key: id, digest: JSON.stringify(base) };
    for (const { tenant, scope, documentId, lists, ...document } of documents) {
      yield { table: 'documents', tenant, scope, key: documentId, digest: JSON.stringify(document) };
      for (const { list, chunkRows, ...listed } of lists) {
        yield { table: 'chunk lists', tenant, scope, key: `${documentId}/${list}`, digest: JSON.stringify(listed) };
        for (const [index, { chunkId, sealedText: _sealed, ...chunk }] of chunkRows.entries()) {
          const key = list === DEFAULT_CHUNK_LIST ? chunkId : `${list}/${chunkId}`;
          yield { table: 'chunks', tenant, scope, key, digest: JSON.stringify([documentId, index, chunk]) };
        }
      }
    }
    for (const { tenant, scope, ...refused } of this.#stored.tables.refused)
      yield { table: 'refused chunks', tenant, scope, key: JSON.stringify(refused), digest: '' };
    for (const { scope, generations } of scopes)
      for (const { id, ...generation } of generations)
        yield { table: 'generations', ...scope, key: id, digest: JSON.stringify(generation) };
  }

  async createScratch(): Promise<InMemoryCatalog> {
    return new InMemoryCatalog();
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  #view(document: DocumentRow): DocumentView {
    const { lists: _lists, list: _list, versions: _versions, ...view } = document;
    return { ...view, withoutVector: this.#withoutVector(document) };
  }

  #withoutVector(document: DocumentRow): number {
    const { tenant, scope, documentId } = document;
    const { scopes, refused } = this.#stored.tables;
    const active = scopes
      .find((one) => scopeKey(one.scope) === scopeKey({ tenant, scope }))
      ?.generations.find(({ status }) => status === 'active')?.embeddingVersion;
    const ids = refused
      .filter((one) => one.tenant === tenant && one.documentId === documentId && one.embeddingVersion === active)
      .map(({ chunkId }) => chunkId);
    return (listOf(document)?.chunkRows ?? []).filter(({ chunkId }) => ids.includes(chunkId)).length;
  }

  #document(scopes: readonly PermittedScope[], id: DocumentId): DocumentRow | undefined {
    return documentsWithin(scopes, this.#stored.tables.documents).find(({ documentId }) => documentId === id);
  }

  #count(documents: readonly DocumentRow[]): StateCounts {
    const counts = DOCUMENT_STATES.map((state) => [state, documents.filter(({ status }) => status === state).length]);
    const paused = this.#paused();
    const held = documents.filter(
      (document) =>
        isWaiting(document) && (document.deferredAt !== undefined || paused.includes(`${document.tenant}/${document.knowledgeBase}`)),
    ).length;
    return { ...Object.fromEntries(counts), total: documents.length, held } as StateCounts;
  }

  #paused(): readonly string[] {
    return this.#stored.tables.knowledgeBases.filter(({ status }) => status === 'paused').map(({ tenant, id }) => `${tenant}/${id}`);
  }

  #ofTenant(tenant: TenantId | undefined): readonly DocumentRow[] {
    return this.#stored.tables.documents.filter((document) => tenant === undefined || document.tenant === tenant);
  }
}

const isWaiting = ({ status }: DocumentRow): boolean => status === 'pending' || status === 'processing';

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
type Sourced = Readonly<{ sourceId: string; documentId: string }>;
const bySource = (a: Sourced, b: Sourced): number => compare(a.sourceId, b.sourceId) || compare(a.documentId, b.documentId);

const within = <T extends TenantScope>(scopes: readonly PermittedScope[], rows: readonly T[]): T[] =>
  plainCopy(rows.filter((row) => scopes.some(({ tenant, scope }) => tenant === row.tenant && scope === row.scope)));

/** What is shown of a document is of its latest version. */
const documentsWithin = (scopes: readonly PermittedScope[], rows: readonly DocumentRow[]): DocumentRow[] =>
  within(scopes, rows).filter((document) => scopes.every(({ requiredLabels }) => satisfies(document.labels, requiredLabels)));

/** The chunks may be of an earlier version, with other labels. */
const permittedChunks = (scopes: readonly PermittedScope[], document: DocumentRow, list?: ChunkListId): VisibleChunk[] =>
  visibleChunks(document, list).filter((chunk) => scopes.every(({ requiredLabels }) => satisfies(chunk.labels, requiredLabels)));

/** In the chunk list that the document shows, unless another one is wanted. */
const visibleChunks = (document: DocumentRow, list?: ChunkListId): VisibleChunk[] => {
  const { documentId, scope, knowledgeBase, sourceId } = document;
  const listed = listOf(document, list);
  return (listed?.chunkRows ?? []).flatMap((chunk, index, { length: of }) =>
    listed ? [{ ...chunk, ...listed.indexed, documentId, index, of, scope, knowledgeBase, sourceId }] : [],
  );
};

const page = <Row, T>(
  rows: readonly Row[],
  limit: number,
  view: (row: Row) => T,
  cursorOf: (row: Row) => [string, string],
): ListPage<T> => {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { items: shown.map(view), ...(rows.length > limit && last ? { next: JSON.stringify(cursorOf(last)) } : {}) };
};

const wrongCursor = (cursor: string | undefined): InvalidValue =>
  new InvalidValue('cursor', 'the "next" value of an earlier response', cursor);

const readCursor = (cursor: string): [string, string] => {
  try {
    const parsed: unknown = JSON.parse(cursor);
    if (Array.isArray(parsed) && parsed.length === 2 && parsed.every((part) => typeof part === 'string')) return parsed as [string, string];
  } catch {
    // The same error for every invalid cursor.
  }
  throw wrongCursor(cursor);
};
