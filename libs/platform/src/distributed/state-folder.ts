import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidValue } from '@palimpsest/knowledge/errors';

/** The files of the read models in the folder of a set. */
export const catalogIn = (root: string): string => join(root, 'catalog.db');
export const lexicalIn = (root: string): string => join(root, 'lexical');
/** Whether an entry of the state folder is a part of the read models. */
export const isReadModel = (entry: string): boolean => entry === 'lexical' || entry.startsWith('catalog.db');

/** Local state of one replica. It can be rebuilt from the log. */
export type StateFolder = Readonly<{ root: string; catalog: string; checkpoints: string; lexical: string; pastViews: string }>;

/** Creates the folder with access for its owner only. @throws InvalidValue if that fails */
export const openStateFolder = async (root: string): Promise<StateFolder> => {
  const folder = {
    root,
    catalog: catalogIn(root),
    checkpoints: join(root, 'checkpoints.db'),
    lexical: lexicalIn(root),
    pastViews: join(root, 'past-views'),
  };
  try {
    await mkdir(folder.lexical, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new InvalidValue('PALIMPSEST_STATE', 'a writable folder', `${root} (${(error as NodeJS.ErrnoException).code ?? String(error)})`);
  }
  return folder;
};
