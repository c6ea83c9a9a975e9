import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The folder of the current read models in a data folder: another one after each rebuild. */
export const currentReadModels = async (data: string, folder = 'read-models'): Promise<string> => {
  const root = join(data, folder);
  return join(root, (await readFile(join(root, 'current'), 'utf8').catch(() => '')).trim());
};
