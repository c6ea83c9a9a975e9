import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidValue } from '@palimpsest/knowledge';

/** What one replica keeps for itself. All of it follows from the log and may be lost. */
export type StateFolder = Readonly<{ root: string; catalog: string; checkpoints: string; lexical: string }>;

/** Makes the folder, for its owner only. @throws InvalidValue when that cannot be done */
export const openStateFolder = async (root: string): Promise<StateFolder> => {
  const folder = { root, catalog: join(root, 'catalog.db'), checkpoints: join(root, 'checkpoints.db'), lexical: join(root, 'lexical') };
  try {
    await mkdir(folder.lexical, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new InvalidValue('PALIMPSEST_STATE', 'a folder that can be written', `${root} (${(error as NodeJS.ErrnoException).code ?? String(error)})`);
  }
  return folder;
};
