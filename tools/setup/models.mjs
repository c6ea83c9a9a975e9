/** The embedding model is part of the repository; this detects a clone with a missing or damaged copy. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { SetupError, inRoot, say } from './workspace.mjs';

const MODEL = 'all-minilm-l6-v2-int8';
const sha256 = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');

/** @throws SetupError naming the file and how to restore it */
export const checkModels = () => {
  const folder = `models/${MODEL}`;
  const howToRestore = `restore it with: git checkout -- ${folder}`;
  if (!existsSync(inRoot(folder, 'model.json'))) throw new SetupError(`${folder}/model.json is missing; ${howToRestore}`);
  const { files } = JSON.parse(readFileSync(inRoot(folder, 'model.json'), 'utf8'));
  for (const [name, digest] of Object.entries(files)) {
    const file = inRoot(folder, name);
    if (!existsSync(file)) throw new SetupError(`${folder}/${name} is missing; ${howToRestore}`);
    if (sha256(file) !== digest) throw new SetupError(`${folder}/${name} differs from the file that model.json names; ${howToRestore}`);
  }
  say(`model ${MODEL} is in place`);
};
