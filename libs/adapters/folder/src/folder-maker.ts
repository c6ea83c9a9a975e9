import { mkdir } from 'node:fs/promises';
import { syncNames } from '@palimpsest/foundation';

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
