import { mkdir, open, readdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { errorCode, ifCode } from './error-code.ts';

/** Windows cannot sync folders and does not need it. */
export const cannotSyncFolders = (error: unknown): boolean =>
  process.platform === 'win32' && ['EPERM', 'EISDIR'].includes(errorCode(error) ?? '');

/** Makes the entries of a folder durable: created, replaced and removed names. */
export const syncFolder = async (path: string): Promise<void> => {
  try {
    const folder = await open(path, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch (error) {
    if (!cannotSyncFolders(error)) throw error;
  }
};

/** Syncs every folder from the parent of `path` up to `top`. */
export const syncNames = async (path: string, top: string): Promise<void> => {
  for (let below = resolve(path); below !== resolve(top) && below !== dirname(below); below = dirname(below))
    await syncFolder(dirname(below));
};

/** Creates the folder and its missing parents (mode 0700), durably. */
export const makeFolder = async (folder: string): Promise<void> => {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first !== undefined) await syncNames(folder, dirname(first));
};

/**
 * Removes a folder with its contents, and all parent folders below `root` that are empty afterwards. The removal is durable when this
 * returns, even if an earlier removal was interrupted.
 */
export const removeFolder = async (folder: string, root: string): Promise<void> => {
  const names = await readdir(folder).catch(ifCode('ENOENT', undefined));
  for (const name of names ?? []) await rm(join(folder, name), { recursive: true, force: true });
  // On some file systems the removal of a folder does not imply that the removal of its files is durable.
  if (names !== undefined) await syncFolder(folder);
  let parent = resolve(folder);
  while (parent !== resolve(root) && (await removeIfEmpty(parent))) parent = dirname(parent);
  await syncFolder(parent);
};

/** Removes the folder if it is empty. Returns whether it no longer exists. */
const removeIfEmpty = async (folder: string): Promise<boolean> => {
  try {
    await rmdir(folder).catch(ifCode('ENOENT', undefined));
    return true;
  } catch (error) {
    if (errorCode(error) !== 'ENOTEMPTY' && errorCode(error) !== 'EEXIST') throw error;
    return false;
  }
};
