import { backup, DatabaseSync } from 'node:sqlite';
import type { CheckPace } from '@palimpsest/contracts';
import { position } from '@palimpsest/knowledge';
import type {
  Catalog, CatalogChange, CatalogRow, ChunkId, DeferredDocument, DocumentId, DocumentQuery, DocumentVersionView, DocumentView, KnowledgeBaseId, KnowledgeBaseView, LanguageCount, LanguageOfBase, ListPage,
  PermittedScope, Position, ScopeCounts, ScopeView, Sha256, StateCounts, TenantId, TenantScope, TenantUse, VisibleChunk, WaitingDocument,
} from '@palimpsest/knowledge';
import { BesideCatalog } from './beside-catalog.ts';
import { catalogContents } from './catalog-contents.ts';
import { CatalogFigures } from './catalog-figures.ts';
import { CatalogLists } from './catalog-lists.ts';
import { prepareCatalog } from './catalog-schema.ts';
import { CatalogStatements } from './catalog-statements.ts';
import { CatalogWork } from './catalog-work.ts';
import { CatalogWrites } from './catalog-writes.ts';
import { newDatabase, openDatabase } from './open-database.ts';

/** Told why it refuses all reads and writes from now on, until `reset`. */
export type OnCatalogDamage = (reason: string) => void;

/** What goes with one open file, and is exchanged with it. */
type Opened = Readonly<{
  db: DatabaseSync; statements: CatalogStatements; writes: CatalogWrites; lists: CatalogLists; figures: CatalogFigures; work: CatalogWork; beside?: BesideCatalog;
}>;

/**
 * The catalogue in one SQLite file, on the calling thread: every read is an index look-up, and a write is one small
 * transaction without an fsync. Each page has a checksum (`PageSums`): no file is opened in which one is wrong, and one that changes
 * while it is open is met by a look at all of them now and then.
 */
export class SqliteCatalog implements Catalog {
  readonly #path: string | undefined;
  readonly #onDamage: OnCatalogDamage;
  #opened: Opened;
  #position: Position;
  /** Writers wait for it. */
  #purging: Promise<void> = Promise.resolve();

  /** `path`: none for one that nobody will open again, in a file of SQLite's own that has no name. */
  constructor(db: DatabaseSync, path: string | undefined, onDamage: OnCatalogDamage) {
    this.#path = path;
    this.#onDamage = onDamage;
    this.#opened = this.#with(db);
    this.#position = this.#readPosition();
  }

  async position(): Promise<Position> {
    return this.#position;
  }

  async apply(changes: readonly CatalogChange[], upTo: Position): Promise<void> {
    await this.#purging;
    if (upTo <= this.#position) return;
    const { db, statements, writes, beside } = this.#opened;
    statements.exec('BEGIN IMMEDIATE');
    try {
      for (const change of changes) writes.write(change);
      statements.run('UPDATE progress SET position = ?', String(upTo));
      statements.exec('COMMIT');
      this.#position = upTo;
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw error;
    }
    if (changes.length > 0) beside?.soon();
    await beside?.whenFull();
  }

  async purge(): Promise<void> {
    const purged = this.#purging.then(() => this.#opened.beside?.purge());
    this.#purging = purged.catch(() => undefined);
    await purged;
  }

  /** A consistent copy of everything in another file, which must not exist. Writers wait for it only in between its pages. */
  async copyTo(file: string): Promise<void> {
    const { db, beside } = this.#opened;
    await backup(db, file);
    await beside?.sum(file);
  }

  /** In a new file: what is damaged cannot be emptied. */
  async reset(): Promise<void> {
    await this.#purging;
    const { db, statements, beside } = this.#opened;
    await beside?.close({ fold: false });
    if (db.isOpen) db.close();
    try {
      this.#opened = this.#with(this.#path === undefined ? nameless() : newDatabase(this.#path));
      this.#position = this.#readPosition();
    } catch (error) {
      this.#damaged(statements, `it could not be made anew: ${error instanceof Error ? error.message : String(error)}`);
      throw error;
    }
  }

  knowledgeBases(scopes: readonly PermittedScope[]): Promise<readonly KnowledgeBaseView[]> {
    return this.#opened.lists.knowledgeBases(scopes);
  }

  knowledgeBase(scopes: readonly PermittedScope[], id: KnowledgeBaseId): Promise<KnowledgeBaseView | undefined> {
    return this.#opened.lists.knowledgeBase(scopes, id);
  }

  documents(scopes: readonly PermittedScope[], query: DocumentQuery): Promise<ListPage<DocumentView>> {
    return this.#opened.lists.documents(scopes, query);
  }

  countDocuments(scopes: readonly PermittedScope[], query: Omit<DocumentQuery, 'limit' | 'cursor'>): Promise<number> {
    return this.#opened.lists.countDocuments(scopes, query);
  }

  document(scopes: readonly PermittedScope[], id: DocumentId): Promise<DocumentView | undefined> {
    return this.#opened.lists.document(scopes, id);
  }

  versions(scopes: readonly PermittedScope[], id: DocumentId): Promise<readonly DocumentVersionView[]> {
    return this.#opened.lists.versions(scopes, id);
  }

  chunksOf(scopes: readonly PermittedScope[], id: DocumentId, page: Readonly<{ limit: number; cursor?: string }>): Promise<ListPage<VisibleChunk>> {
    return this.#opened.lists.chunksOf(scopes, id, page);
  }

  chunks(scopes: readonly PermittedScope[], ids: readonly ChunkId[]): Promise<readonly VisibleChunk[]> {
    return this.#opened.lists.chunks(scopes, ids);
  }

  visible(scopes: readonly PermittedScope[], ids: readonly ChunkId[]): Promise<ReadonlySet<ChunkId>> {
    return this.#opened.lists.visible(scopes, ids);
  }

  documentCounts(tenant?: TenantId): Promise<StateCounts> {
    return this.#opened.figures.documentCounts(tenant);
  }

  countsIn(scopes: readonly PermittedScope[]): Promise<ScopeCounts> {
    return this.#opened.figures.countsIn(scopes);
  }

  chunkCount(tenant?: TenantId): Promise<number> {
    return this.#opened.figures.chunkCount(tenant);
  }

  use(tenant: TenantId): Promise<TenantUse> {
    return this.#opened.figures.use(tenant);
  }

  documentSize(tenant: TenantId, id: DocumentId): Promise<Readonly<{ bytes: number; chunks: number }> | undefined> {
    return this.#opened.figures.documentSize(tenant, id);
  }

  languages(scope: TenantScope): Promise<readonly LanguageCount[]> {
    return this.#opened.figures.languages(scope);
  }

  scopes(tenant?: TenantId): Promise<readonly ScopeView[]> {
    return this.#opened.work.scopes(tenant);
  }

  indexedDocuments(scope: TenantScope, limit: number, after?: DocumentId, of?: LanguageOfBase): Promise<readonly DocumentId[]> {
    return this.#opened.work.indexedDocuments(scope, limit, after, of);
  }

  waitingDocuments(
    tenant: TenantId, id: KnowledgeBaseId, limit: number, after?: Pick<WaitingDocument, 'documentId' | 'submittedAt'>,
  ): Promise<readonly WaitingDocument[]> {
    return this.#opened.work.waitingDocuments(tenant, id, limit, after);
  }

  deferredDocuments(scope: TenantScope, limit: number): Promise<readonly DeferredDocument[]> {
    return this.#opened.work.deferredDocuments(scope, limit);
  }

  contentHashes(scope: TenantScope): AsyncIterable<Readonly<{ chunkId: ChunkId; contentHash: Sha256 }>> {
    return this.#opened.work.contentHashes(scope);
  }

  rows(): AsyncIterable<CatalogRow> {
    const { db, beside } = this.#opened;
    return catalogContents(db, async () => (await beside?.problems()) ?? []);
  }

  async spare(): Promise<Catalog> {
    return new SqliteCatalog(nameless(), undefined, ignored);
  }

  /** Looks through all of its pages, as it does by itself now and then. */
  async check(pace: CheckPace): Promise<void> {
    await this.#opened.beside?.check(pace);
  }

  async close(): Promise<void> {
    await this.#purging;
    const { db, beside } = this.#opened;
    await beside?.close({ fold: true });
    if (db.isOpen) db.close();
  }

  #with(db: DatabaseSync): Opened {
    const statements: CatalogStatements = new CatalogStatements(db, (reason) => this.#onDamage(reason));
    const beside = this.#path === undefined ? undefined : new BesideCatalog(this.#path, (reason) => this.#damaged(statements, reason));
    return {
      db, statements, writes: new CatalogWrites(statements), lists: new CatalogLists(statements), figures: new CatalogFigures(statements), work: new CatalogWork(statements),
      ...(beside ? { beside } : {}),
    };
  }

  #damaged(statements: CatalogStatements, reason: string): void {
    statements.refuse(reason);
    this.#onDamage(reason);
  }

  #readPosition(): Position {
    return position(this.#opened.statements.get('SELECT position FROM progress')?.['position']);
  }
}

const nameless = (): DatabaseSync => {
  const db = new DatabaseSync('');
  prepareCatalog(db);
  return db;
};

export type SqliteCatalogOptions = Readonly<{
  file: string;
  /** That all reads and writes are refused from now on, until `reset`: a page changed while it was open. */
  onDamage?: OnCatalogDamage;
  /** What was there was not as it was written, and was thrown away; the log has it all. Told before this resolves. */
  onEmptied?: OnCatalogDamage;
}>;

/** @throws when the folder cannot be made or the file cannot be opened. A file that is damaged, or of another version, is emptied. */
export const openSqliteCatalog = async ({ file, onDamage = ignored, onEmptied = ignored }: SqliteCatalogOptions): Promise<SqliteCatalog> => {
  const { db, emptied } = openDatabase(file);
  if (emptied !== undefined) onEmptied(emptied);
  return new SqliteCatalog(db, file, onDamage);
};

const ignored = (): void => undefined;
