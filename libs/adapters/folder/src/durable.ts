import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Puts a folder's entries (names made, replaced, removed) on disk. */
export const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Makes the folder and those above it that are missing (mode 0700), and puts the new names on disk. */
export const makeFolder = async (folder: string): Promise<void> => {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first !== undefined) await syncNames(folder, dirname(first));
};

/**
 * Makes folders below one root, once each. Names of folders that were there already go to disk too: another process may
 * have made them a moment ago and not have come so far.
 */
export const folderMaker = (root: string): ((folder: string) => Promise<void>) => {
  const onDisk = new Set<string>([root]);
  return async (folder) => {
    if (onDisk.has(folder)) return;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await syncNames(folder, root);
    onDisk.add(folder);
  };
};

/** Syncs every folder from the parent of `folder` up to `top`. */
export const syncNames = async (folder: string, top: string): Promise<void> => {
  for (let made = folder; made !== top && made !== dirname(made); made = dirname(made)) await syncFolder(dirname(made));
};

/** Writes zeros over a file that has lost its name, so that a disk that writes in place keeps nothing of it. */
export const shred = async (file: FileHandle): Promise<void> => {
  const { size } = await file.stat();
  await file.write(Buffer.alloc(size), 0, size, 0);
  await file.sync();
};

/** The system's code of a failed file operation ("ENOENT"), undefined for anything else. */
export const errorCode = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
