import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { CatalogRowName, CatalogStore } from '@palimpsest/knowledge/read-models';
import type { CatalogFile } from './catalog-files.ts';
import type { Row } from './catalog-rows.ts';
import { neverWaitForDisk } from './catalog-schema.ts';
import type { CatalogStatements } from './catalog-statements.ts';

export type CatalogItems = Parameters<CatalogStore['replaceItems']>[0];

type Found = Readonly<{ where: string; values: readonly SQLInputValue[] }>;

/** A key is two parts. Only the other one can contain a slash. */
const parts = (key: string, at: number): readonly [string, string] => [key.slice(0, Math.max(0, at)), key.slice(at + 1)];

/** How the row of a name is found by an index. The names are those of `catalogContents`. */
const FINDERS: Readonly<Record<string, (name: CatalogRowName) => Found>> = {
  knowledge_bases: ({ tenant, key }) => ({ where: 'tenant = ? AND id = ?', values: [tenant, key] }),
  documents: ({ tenant, key }) => ({ where: 'tenant = ? AND id = ?', values: [tenant, key] }),
  chunk_lists: ({ tenant, key }) => ({
    where: 'tenant = ? AND document = ? AND list = ?',
    values: [tenant, ...parts(key, key.indexOf('/'))],
  }),
  versions: ({ tenant, key }) => {
    const [document, version] = parts(key, key.indexOf('/'));
    return { where: 'tenant = ? AND document = ? AND version = ?', values: [tenant, document, Number(version)] };
  },
  chunks: ({ tenant, scope, key }) => {
    const [list, id] = parts(key, key.lastIndexOf('/'));
    return { where: 'tenant = ? AND id = ? AND list = ? AND scope = ?', values: [tenant, id, list === '' ? 'default' : list, scope] };
  },
  refused_chunks: ({ tenant, scope, key }) => ({
    where: 'tenant = ? AND chunk = ? AND model = ? AND scope = ?',
    values: [tenant, ...parts(key, key.indexOf('/')), scope],
  }),
  generations: ({ tenant, scope, key }) => ({ where: 'tenant = ? AND scope = ? AND number = ?', values: [tenant, scope, Number(key)] }),
};

/** Makes the rows of these names equal to those of another catalog, in one transaction. Names of unknown tables are ignored: they are damage of the file. */
export const replaceRows = (to: CatalogStatements, from: CatalogStatements, names: readonly CatalogRowName[]): void => {
  const found = names.flatMap((name) => {
    const finder = FINDERS[name.table];
    return finder ? [{ table: name.table, ...finder(name) }] : [];
  });
  to.exec('BEGIN IMMEDIATE');
  try {
    // All deletions first: a damaged row may have the key of another one.
    for (const { table, where, values } of found) to.run(`DELETE FROM ${table} WHERE ${where}`, ...values);
    for (const { table, where, values } of found)
      for (const row of from.all(`SELECT * FROM ${table} WHERE ${where}`, ...values)) insert(to, table, row);
    // Last: triggers change it with each document.
    for (const tenant of new Set(names.map((name) => name.tenant))) {
      to.run('DELETE FROM tenant_use WHERE tenant = ?', tenant);
      for (const row of from.all('SELECT * FROM tenant_use WHERE tenant = ?', tenant)) insert(to, 'tenant_use', row);
    }
    to.exec('COMMIT');
  } catch (error) {
    to.rollBack();
    throw error;
  }
};

/** The tables with rows of a document, and the column of its id. */
const OF_DOCUMENT = { versions: 'document', chunks: 'document', chunk_lists: 'document', refused_chunks: 'document', documents: 'id' };

/**
 * Makes everything of these documents and knowledge bases in the catalog `to` equal to what the catalog of this connection has, in one
 * transaction. SQLite copies the rows, since many would take long one by one.
 */
export const replaceItems = (to: CatalogFile, from: DatabaseSync, { tenant, documents, knowledgeBases }: CatalogItems): void => {
  from.prepare('ATTACH ? AS target').run(to.path);
  try {
    if (to.isTemporary) neverWaitForDisk(from, 'target');
    from.exec('BEGIN IMMEDIATE');
    const replace = (table: string, column: string, ids: readonly string[]): void => {
      const where = `WHERE tenant = ?1 AND ${column} IN (SELECT value FROM json_each(?2))`;
      for (const sql of [
        `DELETE FROM target.${table} ${where}`,
        `INSERT OR REPLACE INTO target.${table} SELECT * FROM main.${table} ${where}`,
      ])
        from.prepare(sql).run(tenant, JSON.stringify(ids));
    };
    for (const [table, column] of Object.entries(OF_DOCUMENT)) replace(table, column, documents);
    replace('knowledge_bases', 'id', knowledgeBases);
    from.exec('COMMIT');
  } finally {
    if (from.isTransaction) from.exec('ROLLBACK');
    from.exec('DETACH target');
  }
};

const insert = (to: CatalogStatements, table: string, row: Row): void => {
  const columns = Object.keys(row);
  to.run(
    `INSERT OR REPLACE INTO ${table} (${columns.map((name) => `"${name}"`).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    ...(Object.values(row) as SQLInputValue[]),
  );
};
