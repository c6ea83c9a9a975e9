import { open, readdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Makes the names in a folder durable. Windows cannot, and does not need it: there a missing right is no fault. */
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
 * Removes a folder with all that is in it, and those above it that are empty then, up to `root`, which stays. No power cut brings
 * anything back once this has returned, also when an earlier removal was cut off half-way.
 */
export const removeFolder = async (folder: string, root: string): Promise<void> => {
  const names = await unlessGone(readdir(folder));
  for (const name of names ?? []) await rm(join(folder, name), { recursive: true, force: true });
  // A folder's removal does not say on every file system that its files are gone.
  if (names !== undefined) await syncFolder(folder);
  let parent = folder;
  while (parent !== root && (await isGone(parent))) parent = dirname(parent);
  await syncFolder(parent);
};

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

const unlessGone = async <T>(work: Promise<T>): Promise<T | undefined> =>
  work.catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });

/** Removes it if it is empty. */
const isGone = async (folder: string): Promise<boolean> => {
  try {
    await unlessGone(rmdir(folder));
    return true;
  } catch (error) {
    if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST') throw error;
    return false;
  }
};
