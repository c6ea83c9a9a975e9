import { DatabaseSync } from 'node:sqlite';
import { WorkerFault } from './worker-protocol.ts';

const SQLITE_BUSY = 5;

/**
 * Held by the one writer of a log for as long as it has it open: SQLite's own lock on an empty database beside the log.
 * The operating system lets go of it when the process ends, however it ends, so it is never stale. (Nothing else in this
 * process may open and close the lock file: POSIX drops a process's locks with any of its handles.)
 */
export const takeWriterLock = (file: string): DatabaseSync => {
  const lock = new DatabaseSync(`${file}.lock`, { timeout: 0 });
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE'); // in memory: nothing of the lock is left on disk
    return lock;
  } catch (error) {
    lock.close();
    if (!isBusy(error)) throw error;
    throw new WorkerFault({ code: 'Unavailable', message: `event log ${file} is open for writing elsewhere; one process at a time may have it` });
  }
};

const isBusy = (error: unknown): boolean => error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === SQLITE_BUSY;
