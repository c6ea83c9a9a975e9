import { DatabaseSync } from 'node:sqlite';
import type { DocumentId, TenantScope } from '@palimpsest/knowledge/values';
import type { CatalogFile } from './catalog-files.ts';
import { neverWaitForDisk, tuneConnection } from './catalog-schema.ts';

/** The documents of the scope, in either catalog: a damaged row may be in another scope. */
const DOCUMENTS = `SELECT id FROM main.documents WHERE tenant = ?1 AND scope = ?2
  UNION SELECT id FROM built.documents WHERE tenant = ?1 AND scope = ?2`;

/** Triggers keep the figures of the tenant right. Rows of documents are deleted before the documents that they are found by. */
const DELETED = [
  `DELETE FROM main.versions WHERE tenant = ?1 AND document IN (${DOCUMENTS})`,
  `DELETE FROM main.chunks WHERE tenant = ?1 AND document IN (${DOCUMENTS})`,
  // The rows of no document.
  'DELETE FROM main.chunks WHERE tenant = ?1 AND scope = ?2',
  `DELETE FROM main.chunk_lists WHERE tenant = ?1 AND (scope = ?2 OR document IN (${DOCUMENTS}))`,
  `DELETE FROM main.refused_chunks WHERE tenant = ?1 AND (scope = ?2 OR document IN (${DOCUMENTS}))`,
  `DELETE FROM main.documents WHERE tenant = ?1 AND id IN (${DOCUMENTS})`,
  `DELETE FROM main.knowledge_bases WHERE tenant = ?1
    AND (scope = ?2 OR id IN (SELECT id FROM built.knowledge_bases WHERE tenant = ?1 AND scope = ?2))`,
  'DELETE FROM main.generations WHERE tenant = ?1 AND scope = ?2',
];

const IS_COPIED = 'NOT IN (SELECT value FROM json_each(?3))';

/** `?3`: the ids of documents that are not copied, as JSON. */
const INSERTED = [
  ...['knowledge_bases', 'generations'].map(
    (table) => `INSERT INTO main.${table} SELECT * FROM built.${table} WHERE tenant = ?1 AND scope = ?2`,
  ),
  ...Object.entries({ documents: 'id', chunk_lists: 'document', chunks: 'document', refused_chunks: 'document' }).map(
    ([table, id]) => `INSERT INTO main.${table} SELECT * FROM built.${table} WHERE tenant = ?1 AND scope = ?2 AND ${id} ${IS_COPIED}`,
  ),
  `INSERT INTO main.versions SELECT * FROM built.versions
    WHERE tenant = ?1 AND document ${IS_COPIED} AND document IN (SELECT id FROM built.documents WHERE tenant = ?1 AND scope = ?2)`,
];

const OWN_DOCUMENTS = 'SELECT id FROM documents WHERE tenant = ?1 AND scope = ?2';

/** Statements that delete everything of a scope (`?1` tenant, `?2` scope) but its generations. */
export const CONTENT_OF_SCOPE = [
  `DELETE FROM versions WHERE tenant = ?1 AND document IN (${OWN_DOCUMENTS})`,
  ...['chunks', 'chunk_lists', 'refused_chunks', 'documents', 'knowledge_bases'].map(
    (table) => `DELETE FROM ${table} WHERE tenant = ?1 AND scope = ?2`,
  ),
];

export type ReplacedScopes = Readonly<{ from: string; scopes: readonly TenantScope[]; except: readonly DocumentId[] }>;

/**
 * Replaces the rows of these scopes in a catalog by those in the catalog `from`, without those of the documents `except`, in one transaction.
 * Other connections may read both.
 */
export const replaceScopes = ({ path, isTemporary }: CatalogFile, { from, scopes, except }: ReplacedScopes): void => {
  const db = new DatabaseSync(path, { timeout: 5_000 });
  try {
    tuneConnection(db);
    // The commit waits for the disk: a power failure must not undo a repair that was reported as complete.
    if (isTemporary) neverWaitForDisk(db);
    else db.exec('PRAGMA synchronous = FULL');
    db.prepare('ATTACH ? AS built').run(from);
    db.exec('BEGIN IMMEDIATE');
    for (const { tenant, scope } of scopes) {
      for (const sql of DELETED) db.prepare(sql).run(tenant, scope);
      for (const sql of INSERTED) db.prepare(sql).run(tenant, scope, ...(sql.includes('?3') ? [JSON.stringify(except)] : []));
    }
    db.exec('COMMIT');
  } finally {
    // Undoes an open transaction.
    db.close();
  }
};
