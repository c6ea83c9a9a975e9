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
import type { SynonymsInScope } from '@palimpsest/knowledge/texts';
import type { ChunkId, ChunkListId, DocumentId, KnowledgeBaseId } from '@palimpsest/knowledge/values';
import { page, readCursor, invalidCursor } from './catalog-pages.ts';
import {
  declaredFields,
  documentView,
  knowledgeBaseView,
  notRechunkedView,
  versionView,
  synonymsInScope,
  visibleChunk,
} from './catalog-rows.ts';
import type { CatalogStatements } from './catalog-statements.ts';
import { inScopes, withLabels } from './permitted-rows.ts';
import { WITHOUT_VECTOR } from './without-vector.ts';

/** The documents of chunks, in the chunk list that each document shows. */
const SHOWN = 'JOIN documents d ON d.tenant = c.tenant AND d.id = c.document AND d.list = c.list';
/** The same in the list of each chunk. */
const LISTED = `JOIN chunk_lists l ON l.tenant = c.tenant AND l.document = c.document AND l.list = c.list
  JOIN documents d ON d.tenant = c.tenant AND d.id = c.document`;
const CHUNK = `SELECT c.*, d.chunks AS "of", d.knowledge_base, d.source, d.indexed_title AS title, d.indexed_labels AS labels,
  d.indexed_origin AS origin, d.indexed_version AS version, d.indexed_at FROM chunks c ${SHOWN}`;
const CHUNK_OF_LIST = `SELECT c.*, l.chunks AS "of", d.knowledge_base, d.source, l.title, l.labels, l.origin, l.version, l.indexed_at
  FROM chunks c ${LISTED}`;
const DOCUMENT = `SELECT d.*, (SELECT count(*) FROM ${WITHOUT_VECTOR} WHERE r.tenant = d.tenant AND r.document = d.id) AS without_vector FROM documents d`;
/** `labels`: SQL that follows the condition for the documents that are counted. */
const knowledgeBase = (labels: string): string =>
  `SELECT k.*, (SELECT count(*) FROM documents d WHERE d.tenant = k.tenant AND d.knowledge_base = k.id${labels}) AS documents FROM knowledge_bases k`;

const NO_LABELS: readonly string[] = [];
/** What lists show of a document is of its latest version. */
const DOCUMENT_LABELS = ['d.labels'];
/** What searches see of it may be of an earlier one: both must be visible. */
const CHUNK_LABELS = ['d.labels', 'd.indexed_labels'];
const LISTED_LABELS = ['d.labels', 'l.labels'];

/** Reads for callers: documents, their versions and chunks, knowledge bases. */
export class CatalogLists {
  readonly #statements: CatalogStatements;

  constructor(statements: CatalogStatements) {
    this.#statements = statements;
  }

  async knowledgeBases(scopes: readonly PermittedScope[]): Promise<readonly KnowledgeBaseView[]> {
    const counted = withLabels(scopes, DOCUMENT_LABELS);
    return inScopes('k', scopes, NO_LABELS, (where, values) =>
      this.#statements.all(`${knowledgeBase(counted.sql)} WHERE ${where} ORDER BY k.id`, ...counted.values, ...values),
    ).map(knowledgeBaseView);
  }

  async knowledgeBase(scopes: readonly PermittedScope[], id: KnowledgeBaseId): Promise<KnowledgeBaseView | undefined> {
    const counted = withLabels(scopes, DOCUMENT_LABELS);
    const [row] = inScopes('k', scopes, NO_LABELS, (where, values) =>
      this.#statements.all(`${knowledgeBase(counted.sql)} WHERE ${where} AND k.id = ?`, ...counted.values, ...values, id),
    );
    return row && knowledgeBaseView(row);
  }

  async declaredFields(scopes: readonly PermittedScope[]): Promise<readonly DeclaredFields[]> {
    return inScopes('k', scopes, NO_LABELS, (where, values) =>
      this.#statements.all(`SELECT k.id, k.fields, k.strategy FROM knowledge_bases k WHERE ${where} ORDER BY k.id`, ...values),
    ).map(declaredFields);
  }

  async synonyms(scopes: readonly PermittedScope[]): Promise<readonly SynonymsInScope[]> {
    return inScopes('k', scopes, NO_LABELS, (where, values) =>
      this.#statements.all(
        `SELECT k.id, k.scope, k.synonyms FROM knowledge_bases k WHERE ${where} AND k.synonyms IS NOT NULL ORDER BY k.id`,
        ...values,
      ),
    ).map(synonymsInScope);
  }

  async documents(scopes: readonly PermittedScope[], query: DocumentQuery): Promise<ListPage<DocumentView>> {
    const { more, values } = conditionsOf(query);
    const rows = inScopes('d', scopes, DOCUMENT_LABELS, (where, first) =>
      this.#statements.all(`${DOCUMENT} WHERE ${where}${more} ORDER BY d.source, d.id LIMIT ?`, ...first, ...values, query.limit + 1),
    );
    return page(rows, query.limit, documentView, (row) => [String(row['source']), String(row['id'])]);
  }

  async countDocuments(scopes: readonly PermittedScope[], query: Omit<DocumentQuery, 'limit' | 'cursor'>): Promise<number> {
    const { more, values } = conditionsOf(query);
    const [row] = inScopes('d', scopes, DOCUMENT_LABELS, (where, first) =>
      this.#statements.all(`SELECT count(*) AS total FROM documents d WHERE ${where}${more}`, ...first, ...values),
    );
    return Number(row?.['total'] ?? 0);
  }

  async document(scopes: readonly PermittedScope[], id: DocumentId): Promise<DocumentView | undefined> {
    const [row] = inScopes('d', scopes, DOCUMENT_LABELS, (where, values) =>
      this.#statements.all(`${DOCUMENT} WHERE ${where} AND d.id = ?`, ...values, id),
    );
    return row && documentView(row);
  }

  async existing(scopes: readonly PermittedScope[], ids: readonly DocumentId[]): Promise<ReadonlySet<DocumentId>> {
    const [row] = inScopes('d', scopes, DOCUMENT_LABELS, (where, values) =>
      this.#statements.all(
        `SELECT json_group_array(d.id) AS ids FROM documents d WHERE ${where} AND d.id IN (SELECT value FROM json_each(?))`,
        ...values,
        JSON.stringify(ids),
      ),
    );
    return new Set(JSON.parse(String(row?.['ids'] ?? '[]')) as DocumentId[]);
  }

  async versions(scopes: readonly PermittedScope[], id: DocumentId): Promise<readonly DocumentVersionView[]> {
    return inScopes('d', scopes, DOCUMENT_LABELS, (where, values) =>
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
    const rows = inScopes('c', scopes, CHUNK_LABELS, (where, values) =>
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

  async chunksBetween(
    scopes: readonly PermittedScope[],
    id: DocumentId,
    { from, to }: Readonly<{ from: number; to: number }>,
    list?: ChunkListId,
  ): Promise<readonly VisibleChunk[]> {
    const { select, only, values, labels } = inList(list);
    return inScopes('c', scopes, labels, (where, first) =>
      this.#statements.all(
        `${select} WHERE ${where} AND c.document = ? AND c.idx BETWEEN ? AND ? ${only} ORDER BY c.idx`,
        ...first,
        id,
        from,
        to,
        ...values,
      ),
    ).map(visibleChunk);
  }

  async chunks(scopes: readonly PermittedScope[], ids: readonly ChunkId[], list?: ChunkListId): Promise<readonly VisibleChunk[]> {
    const { select, only, values, labels } = inList(list);
    // The ids are one JSON value, so the statement is the same for any number of them.
    return inScopes('c', scopes, labels, (where, first) =>
      this.#statements.all(
        `${select} WHERE ${where} AND c.id IN (SELECT value FROM json_each(?)) ${only}`,
        ...first,
        JSON.stringify(ids),
        ...values,
      ),
    ).map(visibleChunk);
  }

  async visible(scopes: readonly PermittedScope[], ids: readonly ChunkId[], list?: ChunkListId): Promise<ReadonlySet<ChunkId>> {
    const [only, of, labels] = list === undefined ? ['', [], CHUNK_LABELS] : ['AND c.list = ?', [list], LISTED_LABELS];
    // The documents of a list are looked up only for their labels.
    const isLimited = scopes.some(({ requiredLabels }) => requiredLabels !== undefined);
    const shown = list === undefined ? SHOWN : isLimited ? LISTED : '';
    // The result is one JSON value too: returning a row for each id would take as long as finding it.
    const [row] = inScopes('c', scopes, labels, (where, values) =>
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
    const [counted] = inScopes('l', [scope], DOCUMENT_LABELS, (where, values) =>
      this.#statements.all(
        `SELECT count(*) AS n FROM ${from} WHERE ${where} AND l.list = ? AND l.not_rechunked IS NOT NULL`,
        ...values,
        list,
      ),
    );
    const rows = inScopes('l', [scope], DOCUMENT_LABELS, (where, values) =>
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

/** Chunks as they are in one list, or in the list that each document shows. `only`: SQL that follows the condition; `values`: its parameters. */
const inList = (list: ChunkListId | undefined) =>
  list === undefined
    ? { select: CHUNK, only: '', values: [], labels: CHUNK_LABELS }
    : { select: CHUNK_OF_LIST, only: 'AND c.list = ?', values: [list], labels: LISTED_LABELS };

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
