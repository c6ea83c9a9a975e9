import { constants } from 'node:fs';
import { access, chmod, mkdir, open } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { folderLayout, type FolderLayout } from '@palimpsest/backup';
import { InvalidValue } from '@palimpsest/knowledge/errors';

/**
 * Files survive a power cut only if the names of the folders above them are synced, too. Done at every start: a process that died may
 * have created the folders without syncing them.
 */
const syncFolderNames = async (root: string, first: string): Promise<void> => {
  for (let folder = resolve(root); folder.length >= dirname(resolve(first)).length; folder = dirname(folder)) {
    // We may not be allowed to open a folder above the root; then we did not create it either.
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

/** Creates the folder with access for its owner only. @throws InvalidValue when that is not possible */
export const openDataFolder = async (root: string): Promise<FolderLayout> => {
  try {
    const first = await mkdir(root, { recursive: true, mode: 0o700 });
    for (const name of ['log', 'blobs', 'keys', 'bus', 'read-models']) await mkdir(join(root, name), { recursive: true, mode: 0o700 });
    await chmod(join(root, 'keys'), 0o700);
    await access(root, constants.R_OK | constants.W_OK | constants.X_OK);
    await syncFolderNames(root, first ?? root);
  } catch (error) {
    throw new InvalidValue(
      'PALIMPSEST_DATA',
      'a folder that can be read and written',
      `${root} (${(error as NodeJS.ErrnoException).code ?? String(error)})`,
    );
  }
  return folderLayout(root);
};
