import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { DEFAULT_MODEL_FOLDER, type ModelDescription } from '../src/index.ts';

const created: string[] = [];
afterAll(() => Promise.all(created.map((folder) => rm(folder, { recursive: true, force: true }))));

export const DEFAULT_FOLDER = fileURLToPath(DEFAULT_MODEL_FOLDER);

export const defaultDescription = async (): Promise<ModelDescription> =>
  JSON.parse(await readFile(join(DEFAULT_FOLDER, 'model.json'), 'utf8')) as ModelDescription;

/** Creates a folder with the default model's files and a changed description. Checksums of `replaced` files are correct. */
export const aModelFolder = async (
  changes: Readonly<Record<string, unknown>> = {},
  replaced: Readonly<Record<string, string>> = {},
): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'palimpsest-model-'));
  created.push(folder);
  const description = await defaultDescription();
  const files: Record<string, string> = { ...description.files };
  for (const name of Object.keys(files)) {
    const content = replaced[name];
    if (content === undefined) await symlink(join(DEFAULT_FOLDER, name), join(folder, name));
    else {
      await writeFile(join(folder, name), content);
      files[name] = createHash('sha256').update(content).digest('hex');
    }
  }
  await writeFile(join(folder, 'model.json'), JSON.stringify({ ...description, files, ...changes }));
  return folder;
};
