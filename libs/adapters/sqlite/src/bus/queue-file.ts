import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { syncFolderSync } from '@palimpsest/foundation';
import { rewriteWal } from '../rewrite-wal.ts';
import type { BusFault } from './bus-operations.ts';
import { CheckpointTable } from './checkpoint-table.ts';
import { adoptEarlierCheckpoints, removeEarlierCheckpoints } from './earlier-checkpoints.ts';
import { CHECKPOINTS, SCHEMA } from './queue-schema.ts';

const SCHEMA_VERSION = 2;
/** "PLBQ": identifies a queue file among SQLite files. */
const APPLICATION_ID = 0x504c4251;
/** The previous process may be about to exit. */
const WAIT_FOR_LOCK_MS = 2_000;

/**
 * Opens or creates the queue file and locks it for this process while it is open. The operating system holds the lock, so a killed
 * process leaves none behind. Opening ends the leases of earlier processes: none of them is alive.
 * @throws BusFileError
 */
export const openQueueFile = (file: string): DatabaseSync => {
  let db: DatabaseSync | undefined;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    db = new DatabaseSync(file, { timeout: WAIT_FOR_LOCK_MS });
    db.exec(
      'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA wal_autocheckpoint = 0',
    );
    // Writes of a killed process may still be only in the cache of the operating system. They must be on disk before a repeated publish
    // relies on them.
    rewriteWal(db);
    syncFolderSync(dirname(file)); // SQLite does this too after creating a write-ahead file, but ignores failures
    db.exec('BEGIN IMMEDIATE');
    prepareSchema(db, file);
    db.exec('UPDATE entries SET state = 0, lost = lost + 1, lease = NULL, due = NULL WHERE state = 2');
    db.exec('COMMIT');
    removeEarlierCheckpoints(file);
    return db;
  } catch (error) {
    db?.close();
    throw new BusFileError(faultOf(error, file));
  }
};

class BusFileError extends Error {
  readonly fault: BusFault;

  constructor(fault: BusFault) {
    super(fault.message);
    this.fault = fault;
  }
}

/** Converts an SQLite error to a fault. */
export const faultOf = (error: unknown, file: string): BusFault => {
  if (error instanceof BusFileError) return error.fault;
  const message = error instanceof Error ? error.message : String(error);
  const code = typeof error === 'object' && error !== null && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
  if (code === SQLITE_BUSY)
    return { kind: 'Unavailable', message: `the queue file ${file} is in use by another process; only one process at a time can open it` };
  if (code === SQLITE_CORRUPT || code === SQLITE_NOTADB) return damagedFault(file, message);
  return { kind: 'Unavailable', message: `the queue file ${file} cannot be used: ${message}` };
};

const damagedFault = (file: string, what: string): BusFault => ({
  kind: 'Corrupt',
  message: `the queue file ${file} is damaged: ${what}. Stop the platform and delete the folder of the file; pending work is then rebuilt from the log`,
});

const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

const prepareSchema = (db: DatabaseSync, file: string): void => {
  const version = pragma(db, 'user_version');
  if (version === SCHEMA_VERSION && pragma(db, 'application_id') === APPLICATION_ID) return checkCheckpoints(db, file);
  if (version === 1 && pragma(db, 'application_id') === APPLICATION_ID) {
    db.exec(CHECKPOINTS);
    adoptEarlierCheckpoints(file, new CheckpointTable(db));
    db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
    return;
  }
  const tables = db.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.['n'];
  if (version !== 0 || tables !== 0)
    throw new BusFileError({
      kind: 'Unavailable',
      message: `${file} is not a queue file of version 1 to ${SCHEMA_VERSION}: a newer version or another application created it`,
    });
  db.exec(SCHEMA);
  db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}; PRAGMA application_id = ${APPLICATION_ID}`);
};

const checkCheckpoints = (db: DatabaseSync, file: string): void => {
  const damaged = new CheckpointTable(db).damaged();
  if (damaged !== undefined) throw new BusFileError(damagedFault(file, `the checkpoint "${damaged}" has a wrong checksum`));
};

const pragma = (db: DatabaseSync, name: 'user_version' | 'application_id'): unknown => db.prepare(`PRAGMA ${name}`).get()?.[name];
