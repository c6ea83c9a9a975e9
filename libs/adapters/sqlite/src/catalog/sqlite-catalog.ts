import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { DOCUMENT_STATES, InvalidValue, position } from '@palimpsest/knowledge';
import type {
  Catalog, CatalogChange, CatalogRow, ChunkId, DocumentId, DocumentQuery, DocumentVersionView, DocumentView, Generation, KnowledgeBaseId, KnowledgeBaseView, ListPage,
  PermittedScope, Position, ScopeCounts, ScopeView, Sha256, StateCounts, TenantId, TenantScope, TenantUse, VisibleChunk, WaitingDocument,
} from '@palimpsest/knowledge';
import { catalogContents } from './catalog-contents.ts';
import { isDamage } from './is-damage.ts';
import { documentView, generation, knowledgeBaseView, versionView, visibleChunk, type Row } from './catalog-rows.ts';
import { emptyCatalog, prepareCatalog } from './catalog-schema.ts';
import { CatalogStatements } from './catalog-statements.ts';
import { CatalogWrites } from './catalog-writes.ts';
import { sideThread } from './side-thread.ts';
import { WalFolding } from './wal-folding.ts';

const CHUNK = `SELECT c.*, d.chunks AS "of", d.knowledge_base, d.source, d.indexed_title AS title, d.indexed_labels AS labels,
  d.indexed_origin AS origin, d.indexed_version AS version, d.indexed_at FROM chunks c JOIN documents d ON d.tenant = c.tenant AND d.id = c.document`;
const KNOWLEDGE_BASE = `SELECT k.*, (SELECT count(*) FROM documents d WHERE d.tenant = k.tenant AND d.knowledge_base = k.id) AS documents FROM knowledge_bases k`;

/** Documents that wait, in paused knowledge bases: few of the one, and the others by an index of only those that wait. */
const HELD = `SELECT count(*) AS n FROM knowledge_bases k JOIN documents d ON d.tenant = k.tenant AND d.knowledge_base = k.id
  WHERE k.status = 'paused' AND d.status IN ('pending', 'processing')`;

/** A statement of its own for one tenant: a condition that is sometimes none would read every row. */
const ofTenant = (tenant: TenantId | undefined): string => (tenant === undefined ? '' : 'WHERE tenant = ?');
const given = (tenant: TenantId | undefined): readonly string[] => (tenant === undefined ? [] : [tenant]);

/**
 * The catalogue in one SQLite file, on the calling thread: every read is an index look-up, and a write is one small
 * transaction without an fsync.
 */
export class SqliteCatalog implements Catalog {
  readonly #db: DatabaseSync;
  readonly #statements: CatalogStatements;
  readonly #writes: CatalogWrites;
  readonly #folding: WalFolding | undefined;
  #position: Position;

  /** `file`: none for one that nobody will open again. */
  constructor(db: DatabaseSync, file?: string) {
    this.#db = db;
    this.#folding = file === undefined ? undefined : new WalFolding(sideThread(file));
    prepareCatalog(db);
    this.#statements = new CatalogStatements(db);
    this.#writes = new CatalogWrites(this.#statements);
    this.#position = this.#readPosition();
  }

  async position(): Promise<Position> {
    return this.#position;
  }

  async apply(changes: readonly CatalogChange[], upTo: Position): Promise<void> {
    if (upTo <= this.#position) return;
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      for (const change of changes) this.#writes.write(change);
      this.#statements.of('UPDATE progress SET position = ?').run(String(upTo));
      this.#db.exec('COMMIT');
      this.#position = upTo;
    } catch (error) {
      this.#db.exec('ROLLBACK');
      throw error;
    }
    if (changes.length > 0) this.#folding?.soon();
  }

  /** A consistent copy of everything in another file, which must not exist. Writers wait for it only in between its pages. */
  async copyTo(file: string): Promise<void> {
    await backup(this.#db, file);
  }

  async reset(): Promise<void> {
    this.#statements.forget();
    emptyCatalog(this.#db);
    this.#position = this.#readPosition();
  }

  async knowledgeBases(scopes: readonly PermittedScope[]): Promise<readonly KnowledgeBaseView[]> {
    return this.#inScopes('k', scopes, (where, values) => this.#statements.of(`${KNOWLEDGE_BASE} WHERE ${where} ORDER BY k.id`).all(...values)).map(knowledgeBaseView);
  }

  async knowledgeBase(scopes: readonly PermittedScope[], id: KnowledgeBaseId): Promise<KnowledgeBaseView | undefined> {
    const [row] = this.#inScopes('k', scopes, (where, values) => this.#statements.of(`${KNOWLEDGE_BASE} WHERE ${where} AND k.id = ?`).all(...values, id));
    return row && knowledgeBaseView(row);
  }

  async documents(scopes: readonly PermittedScope[], query: DocumentQuery): Promise<ListPage<DocumentView>> {
    const conditions: string[] = [];
    const values: string[] = [];
    const add = (sql: string, ...more: string[]) => (conditions.push(sql), values.push(...more));
    if (query.knowledgeBase !== undefined) add('d.knowledge_base = ?', query.knowledgeBase);
    if (query.status !== undefined) add('d.status = ?', query.status);
    if (query.source !== undefined) add('instr(d.source, ?) = 1', query.source);
    if (query.cursor !== undefined) add('(d.source, d.id) > (?, ?)', ...readCursor(query.cursor));
    const more = conditions.map((condition) => ` AND ${condition}`).join('');
    const rows = this.#inScopes('d', scopes, (where, first) =>
      this.#statements.of(`SELECT d.* FROM documents d WHERE ${where}${more} ORDER BY d.source, d.id LIMIT ?`).all(...first, ...values, query.limit + 1),
    );
    return page(rows, query.limit, documentView, (row) => [String(row['source']), String(row['id'])]);
  }

  async document(scopes: readonly PermittedScope[], id: DocumentId): Promise<DocumentView | undefined> {
    const [row] = this.#inScopes('d', scopes, (where, values) => this.#statements.of(`SELECT d.* FROM documents d WHERE ${where} AND d.id = ?`).all(...values, id));
    return row && documentView(row);
  }

  async versions(scopes: readonly PermittedScope[], id: DocumentId): Promise<readonly DocumentVersionView[]> {
    return this.#inScopes('d', scopes, (where, values) =>
      this.#statements
        .of(`SELECT v.* FROM versions v JOIN documents d ON d.tenant = v.tenant AND d.id = v.document WHERE ${where} AND d.id = ? ORDER BY v.version`)
        .all(...values, id),
    ).map(versionView);
  }

  async chunksOf(scopes: readonly PermittedScope[], id: DocumentId, { limit, cursor }: Readonly<{ limit: number; cursor?: string }>): Promise<ListPage<VisibleChunk>> {
    const after = cursor === undefined ? -1 : Number(readCursor(cursor)[0]);
    if (!Number.isInteger(after)) throw wrongCursor(cursor);
    const rows = this.#inScopes('c', scopes, (where, values) =>
      this.#statements.of(`${CHUNK} WHERE ${where} AND c.document = ? AND c.idx > ? ORDER BY c.idx LIMIT ?`).all(...values, id, after, limit + 1),
    );
    return page(rows, limit, visibleChunk, (row) => [String(row['idx']), '']);
  }

  async chunks(scopes: readonly PermittedScope[], ids: readonly ChunkId[]): Promise<readonly VisibleChunk[]> {
    // As one value: the statement is the same for any number of ids.
    return this.#inScopes('c', scopes, (where, values) =>
      this.#statements.of(`${CHUNK} WHERE ${where} AND c.id IN (SELECT value FROM json_each(?))`).all(...values, JSON.stringify(ids)),
    ).map(visibleChunk);
  }

  async visible(scopes: readonly PermittedScope[], ids: readonly ChunkId[]): Promise<ReadonlySet<ChunkId>> {
    // As one value out, too: a row for each would take as long as finding it.
    const [row] = this.#inScopes('c', scopes, (where, values) =>
      this.#statements.of(`SELECT json_group_array(c.id) AS ids FROM chunks c WHERE ${where} AND c.id IN (SELECT value FROM json_each(?))`).all(...values, JSON.stringify(ids)),
    );
    return new Set(JSON.parse(String(row?.['ids'] ?? '[]')) as ChunkId[]);
  }

  async documentCounts(tenant?: TenantId): Promise<StateCounts> {
    const rows = this.#statements.of(`SELECT status, count(*) AS n FROM documents ${ofTenant(tenant)} GROUP BY status`).all(...given(tenant));
    const held = this.#statements.of(`${HELD} ${tenant === undefined ? '' : 'AND k.tenant = ?'}`).get(...given(tenant));
    return stateCounts(rows, held);
  }

  async countsIn(scopes: readonly PermittedScope[]): Promise<ScopeCounts> {
    const rows = this.#inScopes('d', scopes, (where, values) =>
      this.#statements.of(`SELECT d.status, count(*) AS n, sum(d.chunks) AS chunks FROM documents d WHERE ${where} GROUP BY d.status`).all(...values),
    );
    const [held] = this.#inScopes('d', scopes, (where, values) => this.#statements.of(`${HELD} AND ${where}`).all(...values));
    return { documents: stateCounts(rows, held), chunks: rows.reduce((sum, { chunks }) => sum + Number(chunks), 0) };
  }

  async chunkCount(tenant?: TenantId): Promise<number> {
    return Number(this.#statements.of(`SELECT count(*) AS n FROM chunks ${ofTenant(tenant)}`).get(...given(tenant))?.['n'] ?? 0);
  }

  async use(tenant: TenantId): Promise<TenantUse> {
    // Counted by triggers, in the transactions of what they count.
    const { documents = 0, chunks = 0, bytes = 0 } = this.#statements.of('SELECT documents, chunks, bytes FROM tenant_use WHERE tenant = ?').get(tenant) ?? {};
    const bases = this.#statements.of("SELECT count(*) AS n FROM knowledge_bases WHERE tenant = ? AND status <> 'archived'").get(tenant);
    return { documents: Number(documents), chunks: Number(chunks), bytes: Number(bytes), knowledgeBases: Number(bases?.['n'] ?? 0) };
  }

  async documentSize(tenant: TenantId, id: DocumentId): Promise<Readonly<{ bytes: number; chunks: number }> | undefined> {
    const row = this.#statements.of('SELECT bytes, chunks FROM documents WHERE tenant = ? AND id = ?').get(tenant, id);
    return row && { bytes: Number(row['bytes']), chunks: Number(row['chunks']) };
  }

  async scopes(tenant?: TenantId): Promise<readonly ScopeView[]> {
    const views = new Map<string, { scope: TenantScope; generations: Generation[] }>();
    for (const row of this.#statements.of(`SELECT * FROM generations ${ofTenant(tenant)} ORDER BY tenant, scope, number`).all(...given(tenant))) {
      const key = `${String(row['tenant'])}/${String(row['scope'])}`;
      const view = views.get(key) ?? { scope: { tenant: row['tenant'], scope: row['scope'] } as unknown as TenantScope, generations: [] };
      view.generations.push(generation(row));
      views.set(key, view);
    }
    return [...views.values()];
  }

  async indexedDocuments({ tenant, scope }: TenantScope, limit: number, after = '' as DocumentId): Promise<readonly DocumentId[]> {
    return this.#statements
      .of('SELECT id FROM documents WHERE tenant = ? AND scope = ? AND indexed_version IS NOT NULL AND id > ? ORDER BY id LIMIT ?')
      .all(tenant, scope, after, limit)
      .map(({ id }) => id as DocumentId);
  }

  async waitingDocuments(
    tenant: TenantId, id: KnowledgeBaseId, limit: number, after: Pick<WaitingDocument, 'documentId' | 'submittedAt'> | undefined = undefined,
  ): Promise<readonly WaitingDocument[]> {
    return this.#statements
      .of(
        `SELECT id, scope, version, submitted_at FROM documents WHERE tenant = ? AND knowledge_base = ? AND status IN ('pending', 'processing')
         AND (submitted_at, id) > (?, ?) ORDER BY submitted_at, id LIMIT ?`,
      )
      .all(tenant, id, after?.submittedAt ?? '', after?.documentId ?? '', limit)
      .map((row) => ({ documentId: row['id'], scope: row['scope'], version: row['version'], submittedAt: row['submitted_at'] }) as WaitingDocument);
  }

  async *contentHashes({ tenant, scope }: TenantScope): AsyncIterable<Readonly<{ chunkId: ChunkId; contentHash: Sha256 }>> {
    const next = this.#statements.of('SELECT id, content_hash FROM chunks WHERE tenant = ? AND scope = ? AND id > ? ORDER BY id LIMIT 1000');
    for (let after = ''; ; ) {
      const rows = next.all(tenant, scope, after);
      for (const row of rows) yield { chunkId: row['id'] as ChunkId, contentHash: row['content_hash'] as Sha256 };
      const last = rows.at(-1);
      if (!last) return;
      after = String(last['id']);
    }
  }

  rows(): AsyncIterable<CatalogRow> {
    return catalogContents(this.#db);
  }

  /** In a file of SQLite's own that has no name. */
  async spare(): Promise<Catalog> {
    return new SqliteCatalog(new DatabaseSync(''));
  }

  async close(): Promise<void> {
    await this.#folding?.close();
    if (this.#db.isOpen) this.#db.close();
  }

  #readPosition(): Position {
    return position(this.#statements.of('SELECT position FROM progress').get()?.['position']);
  }

  /** The one place where a read meets scopes: without a permitted one there is nothing to be seen. */
  #inScopes(alias: string, scopes: readonly PermittedScope[], read: (where: string, values: string[]) => Row[]): Row[] {
    const [first] = scopes;
    if (first === undefined) return [];
    if (scopes.some(({ tenant }) => tenant !== first.tenant)) throw new InvalidValue('scopes', 'scopes of one tenant', scopes);
    const marks = scopes.map(() => '?').join(', ');
    return read(`${alias}.tenant = ? AND ${alias}.scope IN (${marks})`, [first.tenant, ...scopes.map(({ scope }) => scope)]);
  }
}

/** @throws when the folder cannot be made or the file cannot be opened. A file that is damaged, or of another version, is emptied. */
export const openSqliteCatalog = async ({ file }: Readonly<{ file: string }>): Promise<SqliteCatalog> => {
  mkdirSync(dirname(file), { recursive: true });
  const db = new DatabaseSync(file);
  try {
    return new SqliteCatalog(db, file);
  } catch (error) {
    db.close();
    if (!isDamage(error)) throw error;
    for (const part of [file, `${file}-wal`, `${file}-shm`]) rmSync(part, { force: true });
    return new SqliteCatalog(new DatabaseSync(file), file);
  }
};

const stateCounts = (rows: readonly Row[], held: Row | undefined): StateCounts => {
  const counted = new Map(rows.map(({ status, n }) => [status, Number(n)]));
  const counts = DOCUMENT_STATES.map((state) => [state, counted.get(state) ?? 0] as const);
  return { ...Object.fromEntries(counts), total: counts.reduce((sum, [, n]) => sum + n, 0), held: Number(held?.['n'] ?? 0) } as StateCounts;
};

const page = <T>(rows: readonly Row[], limit: number, view: (row: Row) => T, cursorOf: (row: Row) => [string, string]): ListPage<T> => {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { items: shown.map(view), ...(rows.length > limit && last ? { next: Buffer.from(JSON.stringify(cursorOf(last))).toString('base64url') } : {}) };
};

const readCursor = (cursor: string): [string, string] => {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Array.isArray(parsed) && parsed.length === 2 && parsed.every((part) => typeof part === 'string')) return parsed as [string, string];
  } catch {
    // Falls through to the one answer for every wrong cursor.
  }
  throw wrongCursor(cursor);
};

const wrongCursor = (cursor: string | undefined): InvalidValue => new InvalidValue('cursor', 'the "next" of an earlier answer', cursor);
