import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { cannotSyncFolders } from './durable-folders.ts';

// The synchronous forms, for threads that block anyway, such as those of SQLite.

/** Makes everything that was written to the file durable. `flags`: as for `open`. */
export const syncFileSync = (path: string, flags: 'r' | 'r+' = 'r+'): void => {
  const file = openSync(path, flags);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
};

/** Makes the entries of a folder durable: created, replaced and removed names. */
export const syncFolderSync = (path: string): void => {
  try {
    syncFileSync(path, 'r');
  } catch (error) {
    if (!cannotSyncFolders(error)) throw error;
  }
};

/** Creates the folder and its missing parents, durably. */
export const makeFolderSync = (folder: string): void => {
  const first = mkdirSync(folder, { recursive: true });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) syncFolderSync(dirname(made));
};
