import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeFolderSync, syncFolderSync } from '@palimpsest/foundation';
import { rewriteWal } from '../rewrite-wal.ts';
import { AcknowledgedHead } from './acknowledged-head.ts';
import { RemovedContent } from './removed-content.ts';
import { numberOf, prepareSchema } from './log-schema.ts';
import { WorkerFault } from './worker-protocol.ts';
import { takeWriterLock } from './writer-lock.ts';

const TIMEOUT_MS = 5000;

/** A log opened for writing: the position of its last event, up to where it was acknowledged, what is left of removed events. `close` releases the lock last. */
export type LogFile = Readonly<{
  database: DatabaseSync;
  head: number;
  acknowledged: AcknowledgedHead;
  removed: RemovedContent;
  close(): void;
}>;

/** @throws WorkerFault: Unavailable when it is open elsewhere, InvalidValue when it is not an event log, Corrupt when its end is missing */
export const openLogFile = (file: string): LogFile => {
  makeFolderSync(dirname(resolve(file)));
  const lock = takeWriterLock(file);
  try {
    const database = new DatabaseSync(file, { timeout: TIMEOUT_MS });
    try {
      prepareSchema(database, file);
      // FULL: a commit returns when its bytes are on disk, not only in the cache of the operating system.
      database.exec(
        'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -32768; PRAGMA journal_size_limit = 67108864',
      );
      // What is removed is overwritten with zeros.
      database.exec('PRAGMA secure_delete = ON');
      // Writes of a killed process may still be only in the cache of the operating system. They must be on disk before any event is read.
      rewriteWal(database);
      // SQLite also syncs the folder after creating a write-ahead file, but it ignores failures.
      syncFolderSync(dirname(resolve(file)));
      const { head, acknowledged } = checkHead(file, database);
      const close = (): void => {
        acknowledged.close();
        database.close();
        lock.close();
      };
      return { database, head, acknowledged, removed: new RemovedContent(database, TIMEOUT_MS), close };
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    lock.close();
    throw error;
  }
};

const checkHead = (file: string, database: DatabaseSync): Pick<LogFile, 'head' | 'acknowledged'> => {
  const head = numberOf(database, "SELECT seq FROM sqlite_sequence WHERE name = 'events'");
  const acknowledged = new AcknowledgedHead(file);
  const acknowledgedUpTo = acknowledged.read();
  if (head >= acknowledgedUpTo) return { head, acknowledged };
  acknowledged.close();
  const message =
    `event log ${file} ends at position ${head}, but was acknowledged up to ${acknowledgedUpTo}: its end is damaged, or it is an older copy. ` +
    `Restore it from a backup. To continue with the log as it is, delete ${acknowledged.path}`;
  throw new WorkerFault({ code: 'Corrupt', message });
};
