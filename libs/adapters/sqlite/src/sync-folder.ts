import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Syncs a folder, so that the names of its files are on disk. */
export const syncFolder = (folder: string): void => {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
};
