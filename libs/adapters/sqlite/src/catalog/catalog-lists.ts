import type { DeclaredFields, PermittedScope } from '@palimpsest/knowledge/access';
import type {
  CatalogReader,
  DocumentQuery,
  DocumentVersionView,
  DocumentView,
  KnowledgeBaseView,
  ListPage,
  VisibleChunk,
} from '@palimpsest/knowledge/read-models';
import type { ChunkId, ChunkListId, DocumentId, KnowledgeBaseId } from '@palimpsest/knowledge/values';
import { page, readCursor, invalidCursor } from './catalog-pages.ts';
import { declaredFields, documentView, knowledgeBaseView, notRechunkedView, versionView, visibleChunk } from './catalog-rows.ts';
import type { CatalogStatements } from './catalog-statements.ts';
import { inScopes } from './permitted-rows.ts';
import { WITHOUT_VECTOR } from './without-vector.ts';

/** In the chunk list that its document shows. */
const CHUNK = `SELECT c.*, d.chunks AS "of", d.knowledge_base, d.source, d.indexed_title AS title, d.indexed_labels AS labels,
  d.indexed_origin AS origin, d.indexed_version AS version, d.indexed_at FROM chunks c JOIN documents d ON d.tenant = c.tenant AND d.id = c.document AND d.list = c.list`;
const CHUNK_OF_LIST = `SELECT c.*, l.chunks AS "of", d.knowledge_base, d.source, l.title, l.labels, l.origin, l.version, l.indexed_at
  FROM chunks c JOIN chunk_lists l ON l.tenant = c.tenant AND l.document = c.document AND l.list = c.list
  JOIN documents d ON d.tenant = c.tenant AND d.id = c.document`;
const DOCUMENT = `SELECT d.*, (SELECT count(*) FROM ${WITHOUT_VECTOR} WHERE r.tenant = d.tenant AND r.document = d.id) AS without_vector FROM documents d`;
const KNOWLEDGE_BASE = `SELECT k.*, (SELECT count(*) FROM documents d WHERE d.tenant = k.tenant AND d.knowledge_base = k.id) AS documents FROM knowledge_bases k`;

/** Reads for callers: documents, their versions and chunks, knowledge bases. */
export class CatalogLists {
  readonly #statements: CatalogStatements;

  constructor(statements: CatalogStatements) {
    this.#statements = statements;
  }

  async knowledgeBases(scopes: readonly PermittedScope[]): Promise<readonly KnowledgeBaseView[]> {
    return inScopes('k', scopes, (where, values) => this.#statements.all(`${KNOWLEDGE_BASE} WHERE ${where} ORDER BY k.id`, ...values)).map(
      knowledgeBaseView,
    );
  }

  async knowledgeBase(scopes: readonly PermittedScope[], id: KnowledgeBaseId): Promise<KnowledgeBaseView | undefined> {
    const [row] = inScopes('k', scopes, (where, values) =>
      this.#statements.all(`${KNOWLEDGE_BASE} WHERE ${where} AND k.id = ?`, ...values, id),
    );
    return row && knowledgeBaseView(row);
  }

  async declaredFields(scopes: readonly PermittedScope[]): Promise<readonly DeclaredFields[]> {
    return inScopes('k', scopes, (where, values) =>
      this.#statements.all(`SELECT k.id, k.fields FROM knowledge_bases k WHERE ${where} ORDER BY k.id`, ...values),
    ).map(declaredFields);
  }

  async documents(scopes: readonly PermittedScope[], query: DocumentQuery): Promise<ListPage<DocumentView>> {
    const { more, values } = conditionsOf(query);
    const rows = inScopes('d', scopes, (where, first) =>
      this.#statements.all(`${DOCUMENT} WHERE ${where}${more} ORDER BY d.source, d.id LIMIT ?`, ...first, ...values, query.limit + 1),
    );
    return page(rows, query.limit, documentView, (row) => [String(row['source']), String(row['id'])]);
  }

  async countDocuments(scopes: readonly PermittedScope[], query: Omit<DocumentQuery, 'limit' | 'cursor'>): Promise<number> {
    const { more, values } = conditionsOf(query);
    const [row] = inScopes('d', scopes, (where, first) =>
      this.#statements.all(`SELECT count(*) AS total FROM documents d WHERE ${where}${more}`, ...first, ...values),
    );
    return Number(row?.['total'] ?? 0);
  }

  async document(scopes: readonly PermittedScope[], id: DocumentId): Promise<DocumentView | undefined> {
    const [row] = inScopes('d', scopes, (where, values) => this.#statements.all(`${DOCUMENT} WHERE ${where} AND d.id = ?`, ...values, id));
    return row && documentView(row);
  }

  async existing(scopes: readonly PermittedScope[], ids: readonly DocumentId[]): Promise<ReadonlySet<DocumentId>> {
    const [row] = inScopes('d', scopes, (where, values) =>
      this.#statements.all(
        `SELECT json_group_array(d.id) AS ids FROM documents d WHERE ${where} AND d.id IN (SELECT value FROM json_each(?))`,
        ...values,
        JSON.stringify(ids),
      ),
    );
    return new Set(JSON.parse(String(row?.['ids'] ?? '[]')) as DocumentId[]);
  }

  async versions(scopes: readonly PermittedScope[], id: DocumentId): Promise<readonly DocumentVersionView[]> {
    return inScopes('d', scopes, (where, values) =>
      this.#statements.all(
        `SELECT v.* FROM versions v JOIN documents d ON d.tenant = v.tenant AND d.id = v.document WHERE ${where} AND d.id = ? ORDER BY v.version`,
        ...values,
        id,
      ),
    ).map(versionView);
  }

  async chunksOf(
    scopes: readonly PermittedScope[],
    id: DocumentId,
    { limit, cursor }: Readonly<{ limit: number; cursor?: string }>,
  ): Promise<ListPage<VisibleChunk>> {
    const after = cursor === undefined ? -1 : Number(readCursor(cursor)[0]);
    if (!Number.isInteger(after)) throw invalidCursor(cursor);
    const rows = inScopes('c', scopes, (where, values) =>
      this.#statements.all(
        `${CHUNK} WHERE ${where} AND c.document = ? AND c.idx > ? ORDER BY c.idx LIMIT ?`,
        ...values,
        id,
        after,
        limit + 1,
      ),
    );
    return page(rows, limit, visibleChunk, (row) => [String(row['idx']), '']);
  }

  async chunks(scopes: readonly PermittedScope[], ids: readonly ChunkId[], list?: ChunkListId): Promise<readonly VisibleChunk[]> {
    const [select, only, values] = list === undefined ? [CHUNK, '', []] : [CHUNK_OF_LIST, 'AND c.list = ?', [list]];
    // The ids are one JSON value, so the statement is the same for any number of them.
    return inScopes('c', scopes, (where, first) =>
      this.#statements.all(
        `${select} WHERE ${where} AND c.id IN (SELECT value FROM json_each(?)) ${only}`,
        ...first,
        JSON.stringify(ids),
        ...values,
      ),
    ).map(visibleChunk);
  }

  async visible(scopes: readonly PermittedScope[], ids: readonly ChunkId[], list?: ChunkListId): Promise<ReadonlySet<ChunkId>> {
    const shown = list === undefined ? 'JOIN documents d ON d.tenant = c.tenant AND d.id = c.document AND d.list = c.list' : '';
    const [only, of] = list === undefined ? ['', []] : ['AND c.list = ?', [list]];
    // The result is one JSON value too: returning a row for each id would take as long as finding it.
    const [row] = inScopes('c', scopes, (where, values) =>
      this.#statements.all(
        `SELECT json_group_array(c.id) AS ids FROM chunks c ${shown} WHERE ${where} AND c.id IN (SELECT value FROM json_each(?)) ${only}`,
        ...values,
        JSON.stringify(ids),
        ...of,
      ),
    );
    return new Set(JSON.parse(String(row?.['ids'] ?? '[]')) as ChunkId[]);
  }

  async notRechunked(scope: PermittedScope, list: ChunkListId, limit: number): ReturnType<CatalogReader['notRechunked']> {
    const from = 'chunk_lists l JOIN documents d ON d.tenant = l.tenant AND d.id = l.document';
    const [counted] = inScopes('l', [scope], (where, values) =>
      this.#statements.all(
        `SELECT count(*) AS n FROM ${from} WHERE ${where} AND l.list = ? AND l.not_rechunked IS NOT NULL`,
        ...values,
        list,
      ),
    );
    const rows = inScopes('l', [scope], (where, values) =>
      this.#statements.all(
        `SELECT l.document, l.scope, d.source, l.not_rechunked FROM ${from} WHERE ${where} AND l.list = ? AND l.not_rechunked IS NOT NULL
         ORDER BY l.document LIMIT ?`,
        ...values,
        list,
        limit,
      ),
    );
    return { total: Number(counted?.['n'] ?? 0), items: rows.map(notRechunkedView) };
  }
}

/** `more`: SQL that follows the condition for scopes; `values`: its parameters. */
const conditionsOf = (query: Omit<DocumentQuery, 'limit'>): Readonly<{ more: string; values: readonly string[] }> => {
  const conditions: string[] = [];
  const values: string[] = [];
  const add = (sql: string, ...more: string[]) => (conditions.push(sql), values.push(...more));
  if (query.knowledgeBase !== undefined) add('d.knowledge_base = ?', query.knowledgeBase);
  if (query.status !== undefined) add('d.status = ?', query.status);
  if (query.source !== undefined) add('instr(d.source, ?) = 1', query.source);
  if (query.cursor !== undefined) add('(d.source, d.id) > (?, ?)', ...readCursor(query.cursor));
  return { more: conditions.map((condition) => ` AND ${condition}`).join(''), values };
};
