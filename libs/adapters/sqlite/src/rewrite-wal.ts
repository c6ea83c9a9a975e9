import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { syncFileSync } from '@palimpsest/foundation';

/**
 * Writes the content of the write-ahead file to the database again and empties the file. Needed when not all of the file is known
 * to be on disk: the process that wrote it died, or a sync of it failed. After a failed sync, the operating system treats the bytes
 * that it could not write as clean. A later sync succeeds without them, and a commit that follows them is synced but lost with them.
 * The truncation is synced too. Otherwise a power failure could bring the old content back, and SQLite would replay it over a newer
 * database. (SQLite holds no locks on the write-ahead file, so opening and closing it here is safe.)
 * @returns false when a reader blocked the checkpoint for longer than the connection's timeout: then the file was only synced
 * @throws when the disk fails again: the caller must not write anything after that
 */
export const rewriteWal = (database: DatabaseSync): boolean => {
  const row = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
  syncFileSync(walOf(database));
  return row?.['busy'] === 0;
};

/** The write-ahead file is full at this size: SQLite's default of a thousand pages of 4 KiB. */
const FULL_BYTES = 4 * 1024 * 1024;

/** For connections that run their own checkpoints (`wal_autocheckpoint = 0`): SQLite does not report a failed automatic checkpoint. */
export const walIsFull = (database: DatabaseSync): boolean =>
  (statSync(walOf(database), { throwIfNoEntry: false })?.size ?? 0) >= FULL_BYTES;

const walOf = (database: DatabaseSync): string => `${database.location() ?? ''}-wal`;
