import { rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** The tables of version 2, as it created them. Version 1 had no `max_age_checksum`. */
const tablesOf = (version: number): string => `
  CREATE TABLE older.streams (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, last_revision INTEGER NOT NULL, max_age_ms INTEGER${version === 1 ? '' : ', max_age_checksum INTEGER'}) STRICT;
  CREATE INDEX older.streams_with_retention ON streams (id) WHERE max_age_ms IS NOT NULL;
  CREATE TABLE older.types (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE older.events (
    position INTEGER PRIMARY KEY AUTOINCREMENT, stream INTEGER NOT NULL, revision INTEGER NOT NULL, type INTEGER NOT NULL,
    id BLOB NOT NULL, recorded_at INTEGER NOT NULL, checksum INTEGER NOT NULL, data TEXT NOT NULL, metadata TEXT NOT NULL) STRICT;
  CREATE UNIQUE INDEX older.events_by_id ON events (id);
  CREATE UNIQUE INDEX older.events_by_stream ON events (stream, revision);
  CREATE INDEX older.events_by_type ON events (type);
  PRAGMA older.application_id = 1346456645;
  PRAGMA older.user_version = ${version};`;

/** Replaces a closed log by one with the same content that has the schema of an older version. */
export const asVersion = (version: number, file: string): void => {
  const older = `${file}.older`;
  const database = new DatabaseSync(file);
  const streams = `id, name, last_revision, max_age_ms${version === 1 ? '' : ', max_age_checksum'}`;
  database.exec(`
    ATTACH '${older}' AS older;
    PRAGMA older.page_size = 8192;
    ${tablesOf(version)}
    INSERT INTO older.streams SELECT ${streams} FROM main.streams;
    INSERT INTO older.types SELECT * FROM main.types;
    INSERT INTO older.events SELECT * FROM main.events;
    DETACH older;
    PRAGMA journal_mode = DELETE`);
  database.close();
  rmSync(file);
  const copy = new DatabaseSync(older);
  copy.exec(`PRAGMA journal_mode = WAL; VACUUM INTO '${file}'`);
  copy.close();
  for (const ending of ['', '-wal', '-shm']) rmSync(`${older}${ending}`, { force: true });
};
