import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Puts the names in a folder on disk. */
export const syncFolder = (folder: string): void => {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
};
