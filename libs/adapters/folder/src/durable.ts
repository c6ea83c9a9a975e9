import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Syncs the entries of a folder (created, replaced and removed names) to disk. */
export const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Creates the folder and its missing parents (mode 0700), and syncs the new names to disk. */
export const makeFolder = async (folder: string): Promise<void> => {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first !== undefined) await syncNames(folder, dirname(first));
};

/**
 * Creates folders below one root, once each. Also syncs the names of existing folders: another process may have just created them
 * without having synced them yet.
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
  for (let path = folder; path !== top && path !== dirname(path); path = dirname(path)) await syncFolder(dirname(path));
};

/** Overwrites a removed file with zeros, so that a disk that writes in place keeps none of its content. */
export const shred = async (file: FileHandle): Promise<void> => {
  const { size } = await file.stat();
  await file.write(Buffer.alloc(size), 0, size, 0);
  await file.sync();
};

/** Returns the error code of a failed file operation ("ENOENT"), or undefined for any other error. */
export const errorCode = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
