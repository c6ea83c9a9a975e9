import { constants } from 'node:fs';
import { access, chmod, mkdir, open } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { folderLayout, type FolderLayout } from '@palimpsest/backup';
import { InvalidValue } from '@palimpsest/knowledge';

/**
 * What is made below survives a power cut only with the names of the folders above it. Each time: a process that died may have
 * made them and not come to the sync.
 */
const syncNames = async (root: string, first: string): Promise<void> => {
  for (let folder = resolve(root); folder.length >= dirname(resolve(first)).length; folder = dirname(folder)) {
    // What lies above may not be ours to open; then it was not ours to make either.
    const handle = await open(folder, 'r').catch((error: unknown) => {
      if (folder === resolve(root)) throw error;
    });
    try {
      await handle?.sync();
    } finally {
      await handle?.close();
    }
    if (folder === dirname(folder)) return;
  }
};

/** Makes the folder, for its owner only. @throws InvalidValue when that cannot be done */
export const openDataFolder = async (root: string): Promise<FolderLayout> => {
  try {
    const first = await mkdir(root, { recursive: true, mode: 0o700 });
    for (const name of ['log', 'blobs', 'keys', 'bus', 'read-models']) await mkdir(join(root, name), { recursive: true, mode: 0o700 });
    await chmod(join(root, 'keys'), 0o700);
    await access(root, constants.R_OK | constants.W_OK | constants.X_OK);
    await syncNames(root, first ?? root);
  } catch (error) {
    throw new InvalidValue('PALIMPSEST_DATA', 'a folder that can be read and written', `${root} (${(error as NodeJS.ErrnoException).code ?? String(error)})`);
  }
  return folderLayout(root);
};
