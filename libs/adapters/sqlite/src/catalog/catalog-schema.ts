import type { DatabaseSync } from 'node:sqlite';

/** A read model needs no migrations: a file of another version is emptied and rebuilt from the log. */
export const CATALOG_FORMAT = 14;

export const PAGE_BYTES = 4_096;

/** 128 GiB. With more pages, `page-gaps.ts` could not tell the kinds of pages apart. */
const MAX_PAGES = 2 ** 25 - 1;

const TABLES = `
CREATE TABLE knowledge_bases (
  tenant TEXT, id TEXT, scope TEXT NOT NULL, name TEXT NOT NULL, description TEXT NOT NULL, chunking TEXT NOT NULL, language TEXT,
  history_days INTEGER, fields TEXT, synonyms TEXT, strategy TEXT, status TEXT NOT NULL, created_at TEXT NOT NULL, PRIMARY KEY (tenant, id)
) WITHOUT ROWID;
CREATE TABLE documents (
  tenant TEXT, id TEXT, scope TEXT NOT NULL, knowledge_base TEXT NOT NULL, source TEXT NOT NULL, title TEXT NOT NULL,
  status TEXT NOT NULL, version INTEGER NOT NULL, indexed_version INTEGER, reason TEXT, detail TEXT, deferred_at TEXT, media_type TEXT NOT NULL,
  bytes INTEGER NOT NULL, chunks INTEGER NOT NULL DEFAULT 0, failed_chunks INTEGER NOT NULL DEFAULT 0, language TEXT NOT NULL DEFAULT 'und',
  labels TEXT NOT NULL, origin TEXT NOT NULL, warnings TEXT NOT NULL DEFAULT '[]', metadata TEXT NOT NULL DEFAULT '{}',
  indexed_title TEXT, indexed_labels TEXT, indexed_origin TEXT, submitted_at TEXT NOT NULL, indexed_at TEXT, list TEXT,
  PRIMARY KEY (tenant, id)
) WITHOUT ROWID;
CREATE INDEX documents_by_source ON documents (tenant, scope, source, id);
CREATE INDEX documents_by_status ON documents (tenant, status);
CREATE INDEX documents_by_scope ON documents (tenant, scope, status, chunks);
CREATE INDEX documents_waiting ON documents (tenant, knowledge_base, submitted_at, id) WHERE status IN ('pending', 'processing');
CREATE INDEX documents_incomplete ON documents (tenant, failed_chunks) WHERE failed_chunks > 0;
CREATE INDEX documents_deferred ON documents (tenant, scope, submitted_at, id) WHERE deferred_at IS NOT NULL;
CREATE TABLE versions (
  tenant TEXT, document TEXT, version INTEGER, status TEXT NOT NULL, submitted_at TEXT NOT NULL, finished_at TEXT, checksum TEXT NOT NULL,
  bytes INTEGER NOT NULL, chunks INTEGER, reason TEXT, PRIMARY KEY (tenant, document, version)
) WITHOUT ROWID;
CREATE TABLE chunk_lists (
  tenant TEXT, document TEXT, list TEXT, scope TEXT NOT NULL, version INTEGER NOT NULL, title TEXT NOT NULL, media_type TEXT NOT NULL,
  language TEXT NOT NULL, chunks INTEGER NOT NULL, failed_chunks INTEGER NOT NULL, warnings TEXT NOT NULL, metadata TEXT NOT NULL,
  labels TEXT NOT NULL, origin TEXT NOT NULL, not_rechunked TEXT, indexed_at TEXT NOT NULL, PRIMARY KEY (tenant, document, list)
) WITHOUT ROWID;
CREATE INDEX chunk_lists_by_scope ON chunk_lists (tenant, scope, list);
CREATE INDEX chunk_lists_kept ON chunk_lists (tenant, scope, list, document) WHERE not_rechunked IS NOT NULL;
CREATE TABLE chunks (
  tenant TEXT NOT NULL, id TEXT NOT NULL, scope TEXT NOT NULL, document TEXT NOT NULL, list TEXT NOT NULL, idx INTEGER NOT NULL,
  start INTEGER NOT NULL, "end" INTEGER NOT NULL, from_line INTEGER NOT NULL, to_line INTEGER NOT NULL, page INTEGER,
  content_hash TEXT NOT NULL, language TEXT NOT NULL, symbol TEXT, sealed_text BLOB NOT NULL
);
CREATE UNIQUE INDEX chunks_by_id ON chunks (tenant, id, list, scope);
CREATE INDEX chunks_by_document ON chunks (tenant, document, list, idx);
CREATE TABLE refused_chunks (
  tenant TEXT, scope TEXT NOT NULL, document TEXT, chunk TEXT, model TEXT, PRIMARY KEY (tenant, document, chunk, model)
) WITHOUT ROWID;
CREATE TABLE generations (
  tenant TEXT, scope TEXT, number INTEGER, id TEXT NOT NULL, recipe TEXT NOT NULL, list TEXT NOT NULL, status TEXT NOT NULL, PRIMARY KEY (tenant, scope, number)
) WITHOUT ROWID;
CREATE TABLE tenant_use (tenant TEXT PRIMARY KEY, documents INTEGER NOT NULL, chunks INTEGER NOT NULL, bytes INTEGER NOT NULL) WITHOUT ROWID;
CREATE TRIGGER use_of_new AFTER INSERT ON documents BEGIN
  INSERT INTO tenant_use VALUES (NEW.tenant, 1, NEW.chunks, NEW.bytes) ON CONFLICT (tenant) DO UPDATE SET
    documents = documents + 1, chunks = chunks + NEW.chunks, bytes = bytes + NEW.bytes;
END;
CREATE TRIGGER use_of_changed AFTER UPDATE OF chunks, bytes ON documents WHEN OLD.chunks <> NEW.chunks OR OLD.bytes <> NEW.bytes BEGIN
  UPDATE tenant_use SET chunks = chunks + NEW.chunks - OLD.chunks, bytes = bytes + NEW.bytes - OLD.bytes WHERE tenant = NEW.tenant;
END;
CREATE TRIGGER use_of_gone AFTER DELETE ON documents BEGIN
  UPDATE tenant_use SET documents = documents - 1, chunks = chunks - OLD.chunks, bytes = bytes - OLD.bytes WHERE tenant = OLD.tenant;
  DELETE FROM tenant_use WHERE tenant = OLD.tenant AND documents = 0;
END;
CREATE TABLE progress (position TEXT NOT NULL);
INSERT INTO progress VALUES ('0');
PRAGMA user_version = ${CATALOG_FORMAT};
`;

const versionOf = (db: DatabaseSync): number => Number(db.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);

/** Drops all tables and creates the current ones. */
const emptyCatalog = (db: DatabaseSync): void => {
  const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").all();
  db.exec('BEGIN IMMEDIATE');
  for (const { name } of tables) db.exec(`DROP TABLE "${String(name).replaceAll('"', '""')}"`);
  db.exec(TABLES);
  db.exec('COMMIT');
};

export const prepareCatalog = (db: DatabaseSync): void => {
  db.exec(`PRAGMA page_size = ${PAGE_BYTES}; PRAGMA journal_mode = WAL;`);
  tuneConnection(db);
  if (versionOf(db) !== CATALOG_FORMAT) emptyCatalog(db);
};

/** An empty catalog that is deleted after use. While one connection writes it, no other can read it. */
export const prepareTemporaryCatalog = (db: DatabaseSync): void => {
  db.exec(`PRAGMA page_size = ${PAGE_BYTES}`);
  tuneConnection(db);
  neverWaitForDisk(db);
  emptyCatalog(db);
};

/** For connections to a catalog that is deleted after use. `schema`: its name in the connection. */
export const neverWaitForDisk = (db: DatabaseSync, schema = 'main'): void =>
  db.exec(`PRAGMA ${schema}.journal_mode = MEMORY; PRAGMA ${schema}.synchronous = OFF;`);

/** What every connection that writes a catalog needs. */
export const tuneConnection = (db: DatabaseSync): void => {
  // NORMAL: a power failure may undo the newest transactions including the position; they are read from the log again.
  // The cache (in KiB, allocated on demand): a search looks up a few hundred rows across the file, too many for the default of 2 MiB.
  db.exec('PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -32768;');
  // SQLite zeroes deleted and overwritten content in its page, but not copies that it made when it split or merged pages. `WalCheckpointer`
  // zeroes these, and empties the write-ahead file, which holds the old pages.
  db.exec('PRAGMA secure_delete = ON;');
  // Only `WalCheckpointer` runs WAL checkpoints, because it updates the checksums of the pages with each of them.
  db.exec('PRAGMA wal_autocheckpoint = 0; PRAGMA busy_timeout = 5000;');
  db.exec(`PRAGMA max_page_count = ${MAX_PAGES};`);
};
