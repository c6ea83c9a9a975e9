import { mkdir, open, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
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

/** Syncs every folder from the parent of `path` up to `top`, all at once. */
export const syncNames = async (path: string, top: string): Promise<void> => {
  const folders: string[] = [];
  for (let below = resolve(path); below !== resolve(top) && below !== dirname(below); below = dirname(below)) folders.push(dirname(below));
  await Promise.all(folders.map(syncFolder));
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

/** Next to a folder that is being replaced: what takes its place, and what had it. */
const [NEXT, PREVIOUS] = ['.next', '.previous'];

/**
 * Moves a folder to the place of another one, which need not exist. Durable when this returns. A kill leaves either of them in its place
 * after `finishReplacing`.
 */
export const replaceFolder = async (from: string, to: string, root: string): Promise<void> => {
  const [next, previous] = [to + NEXT, to + PREVIOUS];
  await mkdir(dirname(to), { recursive: true });
  await rename(from, next);
  await syncFolder(dirname(to));
  try {
    await rename(to, previous).catch(ifCode('ENOENT', undefined));
    await rename(next, to);
  } catch (error) {
    // The previous one stays, if its disk allows that.
    await rename(previous, to).catch(() => undefined);
    await rename(next, from).catch(() => undefined);
    throw error;
  }
  await syncNames(to, root);
  await rm(previous, { recursive: true, force: true });
  await syncFolder(dirname(to));
};

/** Completes a replacement of the folder that was interrupted. Call it before the folder is used. `names`: what is next to it. */
export const finishReplacing = async (folder: string, names: readonly string[]): Promise<void> => {
  if (names.includes(basename(folder) + NEXT)) {
    await rm(folder, { recursive: true, force: true });
    await rename(folder + NEXT, folder);
  }
  if (names.includes(basename(folder) + PREVIOUS)) await rm(folder + PREVIOUS, { recursive: true, force: true });
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
