import { constants } from 'node:fs';
import { access, chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { folderLayout, type FolderLayout } from '@palimpsest/backup';
import { InvalidValue } from '@palimpsest/knowledge';

/** Makes the folder, for its owner only. @throws InvalidValue when that cannot be done */
export const openDataFolder = async (root: string): Promise<FolderLayout> => {
  try {
    await mkdir(root, { recursive: true, mode: 0o700 });
    for (const name of ['log', 'blobs', 'keys', 'bus', 'read-models']) await mkdir(join(root, name), { recursive: true, mode: 0o700 });
    await chmod(join(root, 'keys'), 0o700);
    await access(root, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new InvalidValue('PALIMPSEST_DATA', 'a folder that can be read and written', `${root} (${(error as NodeJS.ErrnoException).code ?? String(error)})`);
  }
  return folderLayout(root);
};
