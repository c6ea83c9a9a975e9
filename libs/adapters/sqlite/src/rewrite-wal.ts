import { closeSync, fsyncSync, openSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';

/**
 * Writes what the write-ahead file holds into the database, anew, and empties it: to be done when it is not known that all of it
 * is on disk. That is so when another process wrote it, which died, and when a sync of it failed: the system takes bytes that it
 * could not write for clean, and a later sync succeeds without them; a commit behind them would be synced, and lost with them.
 * The emptying is synced too: the old content, come back after a power cut, would be played over a database that is ahead of it.
 * (The file is in nobody's locks, so that it may be opened and closed here.)
 * @returns false when a reader held it up for longer than the connection's timeout: then it was synced only
 * @throws when the disk fails again: nothing may be written behind it then
 */
export const rewriteWal = (database: DatabaseSync): boolean => {
  const row = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
  const wal = openSync(walOf(database), 'r+');
  try {
    fsyncSync(wal);
  } finally {
    closeSync(wal);
  }
  return row?.['busy'] === 0;
};

/** With how many bytes it is time to: what SQLite's own thousand pages of 4 KiB are. */
const FULL_BYTES = 4 * 1024 * 1024;

/** For who keeps the file short himself (`wal_autocheckpoint = 0`): SQLite says nothing of a checkpoint of its own that fails. */
export const walIsFull = (database: DatabaseSync): boolean => (statSync(walOf(database), { throwIfNoEntry: false })?.size ?? 0) >= FULL_BYTES;

const walOf = (database: DatabaseSync): string => `${database.location() ?? ''}-wal`;
