import { open, readdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Makes the file names in a folder durable. Windows does not support it and does not need it, so its permission errors are ignored. */
export const syncFolder = async (path: string): Promise<void> => {
  try {
    const folder = await open(path, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (process.platform !== 'win32' || (code !== 'EPERM' && code !== 'EISDIR')) throw error;
  }
};

/**
 * Removes a folder with its contents, and all parent folders below `root` that are empty afterwards. The removal is durable when this
 * returns, even if an earlier removal was interrupted.
 */
export const removeFolder = async (folder: string, root: string): Promise<void> => {
  const names = await ignoreMissing(readdir(folder));
  for (const name of names ?? []) await rm(join(folder, name), { recursive: true, force: true });
  // On some file systems the removal of a folder does not imply that the removal of its files is durable.
  if (names !== undefined) await syncFolder(folder);
  let parent = folder;
  while (parent !== root && (await removeIfEmpty(parent))) parent = dirname(parent);
  await syncFolder(parent);
};

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

const ignoreMissing = async <T>(work: Promise<T>): Promise<T | undefined> =>
  work.catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });

/** Removes the folder if it is empty. Returns whether it no longer exists. */
const removeIfEmpty = async (folder: string): Promise<boolean> => {
  try {
    await ignoreMissing(rmdir(folder));
    return true;
  } catch (error) {
    if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST') throw error;
    return false;
  }
};
