import { hash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { CatalogRow, TenantId } from '@palimpsest/knowledge';
import { isDamage } from './is-damage.ts';

/** Rows between two turns of the event loop. */
const TURN = 2_000;

/**
 * Whose rows they are, by which key, and what is held against the log: all columns but sealed texts, which say by themselves when they were
 * changed, and may be sealed more than once.
 */
const TABLES: readonly Readonly<{ table: string; scope: string; key: string; columns: string }>[] = [
  { table: 'knowledge_bases', scope: 'scope', key: 'id', columns: '*' },
  { table: 'documents', scope: 'scope', key: 'id', columns: '*' },
  { table: 'versions', scope: "''", key: "document || '/' || version", columns: '*' },
  {
    table: 'chunks', scope: 'scope', key: 'id',
    columns: 'tenant, id, scope, document, idx, start, "end", from_line, to_line, page, content_hash, language, symbol',
  },
  { table: 'generations', scope: 'scope', key: 'number', columns: '*' },
  { table: 'tenant_use', scope: "''", key: "''", columns: '*' },
];

/** Row by row, in no order; what is wrong with files and structure first, since an index that lost an entry hides a row from some reads and not from this one. */
export async function* catalogContents(db: DatabaseSync, problems: () => Promise<readonly string[]>): AsyncGenerator<CatalogRow> {
  try {
    for (const found of await problems()) yield problem(found);
    yield* everyRow(db);
  } catch (error) {
    if (!isDamage(error)) throw error;
    yield problem(error instanceof Error ? error.message : String(error)); // so broken that SQLite gives up
  }
}

const problem = (words: string): CatalogRow => ({ table: 'structure', tenant: '' as TenantId, scope: '', key: words, digest: words });

async function* everyRow(db: DatabaseSync): AsyncGenerator<CatalogRow> {
  for (const { table, scope, key, columns } of TABLES) {
    let n = 0;
    for (const { tenant_of: tenant, scope_of: of, key_of: id, ...values } of db.prepare(`SELECT tenant AS tenant_of, ${scope} AS scope_of, ${key} AS key_of, ${columns} FROM ${table} NOT INDEXED`).iterate()) {
      if (++n % TURN === 0) await new Promise((resolve) => setImmediate(resolve));
      yield { table, tenant: String(tenant) as TenantId, scope: String(of), key: String(id), digest: hash('sha256', JSON.stringify(Object.values(values)), 'base64') };
    }
  }
}
