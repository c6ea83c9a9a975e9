import { DatabaseSync } from 'node:sqlite';
import { WorkerFault } from './worker-protocol.ts';

const SQLITE_BUSY = 5;

/**
 * The single writer of a log holds this lock while the log is open: SQLite's own lock on an empty database next to the log.
 * The operating system releases it when the process ends for any reason, so it is never stale. (Nothing else in this process may
 * open and close the lock file: POSIX drops all locks of a process on a file when any handle of that file is closed.)
 */
export const takeWriterLock = (file: string): DatabaseSync => {
  const lock = new DatabaseSync(`${file}.lock`, { timeout: 0 });
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE'); // in memory: leaves no journal file on disk
    return lock;
  } catch (error) {
    lock.close();
    if (!isBusy(error)) throw error;
    throw new WorkerFault({
      code: 'Unavailable',
      message: `event log ${file} is already open in another process; only one process at a time can open it`,
    });
  }
};

const isBusy = (error: unknown): boolean => error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === SQLITE_BUSY;
