import type { DatabaseSync } from 'node:sqlite';
import { retentionChecksum } from './event-checksum.ts';
import { WorkerFault } from './worker-protocol.ts';

/** "PALE" (Palimpsest events): identifies the file as an event log, https://www.sqlite.org/fileformat.html#application_id. */
const APPLICATION_ID = 0x50414c45;
const SCHEMA_VERSION = 3;

/**
 * `recorded_at` is Unix ms; `id` holds the 16 bytes of the UUID. The payload comes last, so the columns before it are read without its
 * pages. Every SQLite index ends with the rowid, here the position, so a read filtered with `events_by_type` needs no payload.
 * AUTOINCREMENT: a position is never reused, even after the newest events were removed. `first_revision`: events with a lower one were
 * truncated; `truncations` lists the streams that still have rows of such events.
 */
const TABLES = `
  CREATE TABLE streams (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, last_revision INTEGER NOT NULL, max_age_ms INTEGER, max_age_checksum INTEGER,
    first_revision INTEGER, first_revision_checksum INTEGER) STRICT;
  CREATE INDEX streams_with_retention ON streams (id) WHERE max_age_ms IS NOT NULL;
  CREATE TABLE truncations (stream INTEGER PRIMARY KEY) STRICT;
  CREATE TABLE types (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE events (
    position INTEGER PRIMARY KEY AUTOINCREMENT, stream INTEGER NOT NULL, revision INTEGER NOT NULL, type INTEGER NOT NULL,
    id BLOB NOT NULL, recorded_at INTEGER NOT NULL, checksum INTEGER NOT NULL, data TEXT NOT NULL, metadata TEXT NOT NULL) STRICT;
`;
const INDEXES = `
  CREATE UNIQUE INDEX events_by_id ON events (id);
  CREATE UNIQUE INDEX events_by_stream ON events (stream, revision);
  CREATE INDEX events_by_type ON events (type);
`;

/** Creates the schema in a new file and accepts an existing event log. Refuses any other file before writing to it. */
export const prepareSchema = (database: DatabaseSync, file: string): void => {
  const found = inspect(database, file);
  if (found === SCHEMA_VERSION) return;
  if (found !== 'new') return upgrade(database, found);
  database.exec(PAGE_SIZE);
  database.exec('PRAGMA journal_mode = WAL');
  database.exec(`BEGIN IMMEDIATE; ${TABLES} ${INDEXES} ${MARK} COMMIT`);
};

const PAGE_SIZE = 'PRAGMA page_size = 8192'; // a chunk with its vector (about 6 KB) fits into one page
const MARK = `PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION};`;

/** For a log that is filled from another one: creating the indexes at the end is faster, and checks that entries are unique. */
export const makeTables = (database: DatabaseSync): void => {
  database.exec(PAGE_SIZE);
  database.exec(`${TABLES} ${MARK}`);
};

export const makeIndexes = (database: DatabaseSync): void => database.exec(INDEXES);

const upgrade = (database: DatabaseSync, from: number): void => {
  database.exec('BEGIN IMMEDIATE');
  if (from === 1) addRetentionChecksums(database);
  database.exec(`
    ALTER TABLE streams ADD COLUMN first_revision INTEGER; ALTER TABLE streams ADD COLUMN first_revision_checksum INTEGER;
    CREATE TABLE truncations (stream INTEGER PRIMARY KEY) STRICT; PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT`);
};

/** Version 1 had no checksums for age limits: a damaged limit could hide or remove events. */
const addRetentionChecksums = (database: DatabaseSync): void => {
  database.exec('ALTER TABLE streams ADD COLUMN max_age_checksum INTEGER');
  const set = database.prepare('UPDATE streams SET max_age_checksum = ? WHERE id = ?');
  for (const { id, name, max_age_ms: maxAge } of database
    .prepare('SELECT id, name, max_age_ms FROM streams WHERE max_age_ms IS NOT NULL')
    .all())
    set.run(retentionChecksum(String(name), Number(maxAge)), Number(id));
};

/** Presents the streams of an older log as those of this version, without changing the file. Age limits of version 1 cannot be verified. */
export const viewAsCurrent = (database: DatabaseSync, version: number): void => {
  if (version === SCHEMA_VERSION) return;
  database.function('retention_checksum', (stream, maxAge) => retentionChecksum(String(stream), maxAge === null ? null : Number(maxAge)));
  const checksum = version === 1 ? ', retention_checksum(name, max_age_ms) AS max_age_checksum' : '';
  database.exec(
    `CREATE TEMP VIEW streams AS SELECT *${checksum}, NULL AS first_revision, NULL AS first_revision_checksum FROM main.streams`,
  );
};

/** The version of the log. 'new' means an empty file or a database without tables. */
export const inspect = (database: DatabaseSync, file: string): number | 'new' => {
  let applicationId: number, version: number, tables: number;
  try {
    applicationId = numberOf(database, 'PRAGMA application_id');
    version = numberOf(database, 'PRAGMA user_version');
    tables = numberOf(database, 'SELECT count(*) FROM sqlite_schema');
  } catch (error) {
    if (isNotADatabase(error)) throw refused(file, 'a file that is not an SQLite database');
    throw error;
  }
  if (applicationId === 0 && version === 0 && tables === 0) return 'new';
  if (applicationId !== APPLICATION_ID) throw refused(file, `an SQLite database of another application (application id ${applicationId})`);
  if (version > SCHEMA_VERSION) throw refused(file, `schema version ${version}, written by a newer Palimpsest`);
  return version;
};

export const numberOf = (database: DatabaseSync, sql: string): number => Number(Object.values(database.prepare(sql).get() ?? {})[0] ?? 0);

const refused = (file: string, got: string): WorkerFault =>
  new WorkerFault({ code: 'InvalidValue', field: `event log ${file}`, expected: `an event log of schema version ${SCHEMA_VERSION}`, got });

const SQLITE_NOTADB = 26;
const isNotADatabase = (error: unknown): boolean => (error as { errcode?: unknown } | undefined)?.errcode === SQLITE_NOTADB;
