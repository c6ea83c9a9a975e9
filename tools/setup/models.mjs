/** The embedding model is part of the repository; this notices a clone that lacks it or holds a damaged copy. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { SetupError, inRoot, say } from './workspace.mjs';

const MODEL = 'all-minilm-l6-v2-int8';
const sha256 = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');

/** @throws SetupError naming the file and how to get it back */
export const checkModels = () => {
  const folder = `models/${MODEL}`;
  const howToGetItBack = `bring it back with: git checkout -- ${folder}`;
  if (!existsSync(inRoot(folder, 'model.json'))) throw new SetupError(`${folder}/model.json is missing; ${howToGetItBack}`);
  const { files } = JSON.parse(readFileSync(inRoot(folder, 'model.json'), 'utf8'));
  for (const [name, digest] of Object.entries(files)) {
    const file = inRoot(folder, name);
    if (!existsSync(file)) throw new SetupError(`${folder}/${name} is missing; ${howToGetItBack}`);
    if (sha256(file) !== digest) throw new SetupError(`${folder}/${name} is not the file that model.json names; ${howToGetItBack}`);
  }
  say(`model ${MODEL} is in place`);
};
