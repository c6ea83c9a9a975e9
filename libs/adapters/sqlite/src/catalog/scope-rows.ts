import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import type { TenantId, TenantScope, VectorScope } from '@palimpsest/knowledge/values';

/** Rows of one table of a catalog that belong to one scope, in the order of `columns`. */
export type ScopeRows = Readonly<{
  scope: TenantScope;
  table: string;
  columns: readonly string[];
  rows: readonly (readonly SQLInputValue[])[];
}>;

/** Every table with rows of scopes, and where the scope of a row is found. Other tables follow from these, or hold the position. */
const TABLES: Readonly<Record<string, string>> = {
  knowledge_bases: 'SELECT t.*, t.scope AS of_scope FROM knowledge_bases t',
  documents: 'SELECT t.*, t.scope AS of_scope FROM documents t',
  chunk_lists: 'SELECT t.*, t.scope AS of_scope FROM chunk_lists t',
  versions: 'SELECT t.*, d.scope AS of_scope FROM versions t JOIN documents d ON d.tenant = t.tenant AND d.id = t.document',
  chunks: 'SELECT t.*, t.scope AS of_scope FROM chunks t',
  refused_chunks: 'SELECT t.*, t.scope AS of_scope FROM refused_chunks t',
  generations: 'SELECT t.*, t.scope AS of_scope FROM generations t',
};

/** At most about this many bytes of rows are in memory at a time. */
const MAX_WAITING = 16 * 1024 * 1024;
/** After this many rows, other work runs. */
const SLICE = 500;

type Row = Readonly<Record<string, SQLInputValue>>;
type Group = Omit<ScopeRows, 'rows'> & { rows: (readonly SQLInputValue[])[] };

const sizeOf = (values: readonly SQLInputValue[]): number =>
  values.reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? value.length : ArrayBuffer.isView(value) ? value.byteLength : 8),
    0,
  );

/** The rows of a closed copy of a catalog, grouped by scope. Reads cooperatively. */
export async function* rowsByScope(file: string): AsyncGenerator<ScopeRows> {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    for (const [table, select] of Object.entries(TABLES)) yield* rowsOf(db, table, select);
  } finally {
    db.close();
  }
}

async function* rowsOf(db: DatabaseSync, table: string, select: string): AsyncGenerator<ScopeRows> {
  const columns = db
    .prepare(`PRAGMA table_info(${table})`)
    .all()
    .map(({ name }) => String(name));
  let groups = new Map<string, Group>();
  let [waiting, count] = [0, 0];
  for (const row of db.prepare(select).iterate() as Iterable<Row>) {
    const scope = { tenant: row['tenant'] as TenantId, scope: row['of_scope'] as VectorScope };
    const key = JSON.stringify(scope);
    const group = groups.get(key) ?? { scope, table, columns, rows: [] };
    groups.set(key, group);
    const values = columns.map((name) => row[name] ?? null);
    group.rows.push(values);
    waiting += sizeOf(values);
    if (++count % SLICE === 0) await setImmediate();
    if (waiting < MAX_WAITING) continue;
    yield* groups.values();
    [groups, waiting] = [new Map(), 0];
  }
  yield* groups.values();
}

/** Inserts rows of `rowsByScope` into a catalog that does not have them, in one transaction. */
export const insertRows = (db: DatabaseSync, { table, columns, rows }: Omit<ScopeRows, 'scope'>): void => {
  if (!Object.hasOwn(TABLES, table)) throw new Error(`a catalog has no table "${table}"`);
  const names = columns.map((name) => `"${name.replaceAll('"', '')}"`).join(', ');
  const insert = db.prepare(`INSERT INTO ${table} (${names}) VALUES (${columns.map(() => '?').join(', ')})`);
  db.exec('BEGIN IMMEDIATE');
  try {
    for (const values of rows) insert.run(...values);
    db.exec('COMMIT');
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
};
