import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { rewriteWal } from '../rewrite-wal.ts';
import { syncFolder } from '../sync-folder.ts';
import type { BusFault } from './bus-operations.ts';
import { SCHEMA } from './queue-schema.ts';

const SCHEMA_VERSION = 1;
/** "PLBQ": tells a queue file from any other SQLite file. */
const APPLICATION_ID = 0x504c4251;
/** For a predecessor that is about to exit. */
const WAIT_FOR_LOCK_MS = 2_000;

/**
 * Opens the queue file, or makes it, and locks it for this process as long as it is open. The lock is the operating
 * system's, so a killed process leaves none behind. Leases of an earlier process end here: it is not alive any more.
 * @throws BusFileError
 */
export const openQueueFile = (file: string): DatabaseSync => {
  let db: DatabaseSync | undefined;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    db = new DatabaseSync(file, { timeout: WAIT_FOR_LOCK_MS });
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA wal_autocheckpoint = 0');
    // What a killed process wrote may be in the system's cache only; it goes to disk before anybody is told "published already".
    rewriteWal(db);
    syncFolder(dirname(file)); // SQLite does so for a new write-ahead file, too, but goes on when it fails
    db.exec('BEGIN IMMEDIATE');
    prepareSchema(db, file);
    db.exec('UPDATE entries SET state = 0, lost = lost + 1, lease = NULL, due = NULL WHERE state = 2');
    db.exec('COMMIT');
    return db;
  } catch (error) {
    db?.close();
    throw new BusFileError(faultOf(error, file));
  }
};

export class BusFileError extends Error {
  readonly fault: BusFault;

  constructor(fault: BusFault) {
    super(fault.message);
    this.fault = fault;
  }
}

/** A failure of SQLite in our words. */
export const faultOf = (error: unknown, file: string): BusFault => {
  if (error instanceof BusFileError) return error.fault;
  const message = error instanceof Error ? error.message : String(error);
  const code = typeof error === 'object' && error !== null && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
  if (code === SQLITE_BUSY)
    return { kind: 'Unavailable', message: `the queue file ${file} is in use by another process: only one at a time may open it` };
  if (code === SQLITE_CORRUPT || code === SQLITE_NOTADB)
    return { kind: 'Corrupt', message: `the queue file ${file} is damaged: ${message}. Stop, and remove its folder: what waits follows from the log again` };
  return { kind: 'Unavailable', message: `the queue file ${file} cannot be used: ${message}` };
};

const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

const prepareSchema = (db: DatabaseSync, file: string): void => {
  const version = pragma(db, 'user_version');
  if (version === SCHEMA_VERSION && pragma(db, 'application_id') === APPLICATION_ID) return;
  const tables = db.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.['n'];
  if (version !== 0 || tables !== 0)
    throw new BusFileError({
      kind: 'Unavailable',
      message: `${file} is no queue file of version ${SCHEMA_VERSION}: it was made by a newer version or by something else`,
    });
  db.exec(SCHEMA);
  db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}; PRAGMA application_id = ${APPLICATION_ID}`);
};

const pragma = (db: DatabaseSync, name: 'user_version' | 'application_id'): unknown => db.prepare(`PRAGMA ${name}`).get()?.[name];
