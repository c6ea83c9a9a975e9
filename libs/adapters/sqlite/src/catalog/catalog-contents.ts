import { hash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { CatalogRow } from '@palimpsest/knowledge/read-models';
import type { TenantId } from '@palimpsest/knowledge/values';
import { isDamage } from './is-damage.ts';

/** Rows read before the event loop gets a turn. */
const ROWS_PER_TURN = 2_000;

/**
 * For each table: the scope and key of a row, and the columns that are compared with the log. These are all columns except sealed texts:
 * their encryption detects changes on its own, and the same text sealed twice has different bytes.
 */
const TABLES: readonly Readonly<{ table: string; scope: string; key: string; columns: string }>[] = [
  { table: 'knowledge_bases', scope: 'scope', key: 'id', columns: '*' },
  { table: 'documents', scope: 'scope', key: 'id', columns: '*' },
  { table: 'chunk_lists', scope: 'scope', key: "document || '/' || list", columns: '*' },
  { table: 'versions', scope: "''", key: "document || '/' || version", columns: '*' },
  {
    table: 'chunks',
    scope: 'scope',
    key: "CASE WHEN list = 'default' THEN id ELSE list || '/' || id END",
    columns: 'tenant, id, scope, document, list, idx, start, "end", from_line, to_line, page, content_hash, language, symbol',
  },
  { table: 'refused_chunks', scope: 'scope', key: "chunk || '/' || model", columns: '*' },
  { table: 'generations', scope: 'scope', key: 'number', columns: '*' },
  { table: 'tenant_use', scope: "''", key: "''", columns: '*' },
];

/**
 * Yields all rows in no particular order. Problems of the files and their structure come first: an index that lost an entry hides a row
 * from some reads, but not from this one.
 */
export async function* catalogContents(db: DatabaseSync, problems: () => Promise<readonly string[]>): AsyncGenerator<CatalogRow> {
  try {
    for (const found of await problems()) yield problemRow(found);
    yield* everyRow(db);
  } catch (error) {
    if (!isDamage(error)) throw error;
    yield problemRow(error instanceof Error ? error.message : String(error)); // too damaged for SQLite to continue
  }
}

const problemRow = (text: string): CatalogRow => ({ table: 'structure', tenant: '' as TenantId, scope: '', key: text, digest: text });

async function* everyRow(db: DatabaseSync): AsyncGenerator<CatalogRow> {
  for (const { table, scope, key, columns } of TABLES) {
    let n = 0;
    for (const { tenant_of: tenant, scope_of: of, key_of: id, ...values } of db
      .prepare(`SELECT tenant AS tenant_of, ${scope} AS scope_of, ${key} AS key_of, ${columns} FROM ${table} NOT INDEXED`)
      .iterate()) {
      if (++n % ROWS_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
      yield {
        table,
        tenant: String(tenant) as TenantId,
        scope: String(of),
        key: String(id),
        digest: hash('sha256', JSON.stringify(Object.values(values)), 'base64'),
      };
    }
  }
}
