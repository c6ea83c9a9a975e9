import { mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { rewriteWal } from '../rewrite-wal.ts';
import { syncFolder } from '../sync-folder.ts';
import { AcknowledgedHead } from './acknowledged-head.ts';
import { numberOf, prepareSchema } from './log-schema.ts';
import { WorkerFault } from './worker-protocol.ts';
import { takeWriterLock } from './writer-lock.ts';

/** A log opened for writing: the position of its last event, and what it was acknowledged up to. `close` lets go of the lock last. */
export type LogFile = Readonly<{ database: DatabaseSync; head: number; acknowledged: AcknowledgedHead; close(): void }>;

/** @throws WorkerFault: Unavailable when another process writes to it, InvalidValue when it is not ours, Corrupt when its end is missing. */
export const openLogFile = (file: string): LogFile => {
  makeFolder(dirname(resolve(file)));
  const lock = takeWriterLock(file);
  try {
    const database = new DatabaseSync(file, { timeout: 5000 });
    try {
      prepareSchema(database, file);
      // FULL: a commit returns when its bytes are on disk, not only in the system's cache.
      database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -32768; PRAGMA journal_size_limit = 67108864');
      // What a killed process wrote may be in the system's cache only; it goes to disk before anybody is told of it.
      rewriteWal(database);
      // SQLite syncs the folder for a new write-ahead file, too, but goes on when that fails.
      syncFolder(dirname(resolve(file)));
      const { head, acknowledged } = wholeUpTo(file, database);
      const close = (): void => {
        acknowledged.close();
        database.close();
        lock.close();
      };
      return { database, head, acknowledged, close };
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    lock.close();
    throw error;
  }
};

const wholeUpTo = (file: string, database: DatabaseSync): Pick<LogFile, 'head' | 'acknowledged'> => {
  const head = numberOf(database, "SELECT seq FROM sqlite_sequence WHERE name = 'events'");
  const acknowledged = new AcknowledgedHead(file);
  const promised = acknowledged.read();
  if (head >= promised) return { head, acknowledged };
  acknowledged.close();
  const message =
    `event log ${file} ends at position ${head}, and was acknowledged up to ${promised}: its end is damaged, or it is an older one. ` +
    `Restore it from a backup; or, to go on with it as it is, remove ${acknowledged.path}`;
  throw new WorkerFault({ code: 'Corrupt', message });
};

/** A new folder's name is on disk only once the folder above it is synced; SQLite syncs the folder of the log itself. */
const makeFolder = (folder: string): void => {
  const first = mkdirSync(folder, { recursive: true });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) syncFolder(dirname(made));
};
