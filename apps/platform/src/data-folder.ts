import { constants } from 'node:fs';
import { access, chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidValue } from '@palimpsest/knowledge';

/** What lies where. `readModels` may be deleted at any time: the next start builds it again from the log. */
export type DataFolder = Readonly<{
  root: string; log: string; blobs: string; masterKey: string; localKey: string; queues: string; checkpoints: string; readModels: string; catalog: string; server: string;
}>;

/** Makes the folder, for its owner only. @throws InvalidValue when that cannot be done */
export const openDataFolder = async (root: string): Promise<DataFolder> => {
  try {
    await mkdir(root, { recursive: true, mode: 0o700 });
    for (const name of ['log', 'blobs', 'keys', 'bus', 'read-models']) await mkdir(join(root, name), { recursive: true, mode: 0o700 });
    await chmod(join(root, 'keys'), 0o700);
    await access(root, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new InvalidValue('PALIMPSEST_DATA', 'a folder that can be read and written', `${root} (${(error as NodeJS.ErrnoException).code ?? String(error)})`);
  }
  return {
    root,
    log: join(root, 'log', 'events.db'),
    blobs: join(root, 'blobs'),
    masterKey: join(root, 'keys', 'master.key'),
    localKey: join(root, 'keys', 'local-api-key'),
    queues: join(root, 'bus', 'queues.db'),
    checkpoints: join(root, 'bus', 'checkpoints.db'),
    readModels: join(root, 'read-models'),
    catalog: join(root, 'read-models', 'catalog.db'),
    server: join(root, 'server.json'),
  };
};
