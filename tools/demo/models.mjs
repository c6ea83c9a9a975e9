import { execFileSync } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { inRoot, PINNED_NODE } from '../setup/workspace.mjs';

const BGE_SMALL = 'bge-small-en-v1.5-int8';
export const BUILT_IN = inRoot('models', 'all-minilm-l6-v2-int8');

/** The folder of bge-small-en-v1.5. @throws if it is missing and Maven cannot download it */
export const bgeSmall = async (say) => {
  const folder = inRoot('models', BGE_SMALL);
  if (existsSync(join(folder, 'model.json'))) return folder;
  say(`downloading ${BGE_SMALL} (35 MB) with Maven`);
  try {
    execFileSync(PINNED_NODE, [inRoot('tools', 'models', 'fetch-models.mjs'), BGE_SMALL], { stdio: ['ignore', 'ignore', 'inherit'] });
  } catch (cause) {
    throw new Error(`${BGE_SMALL} cannot be downloaded without Maven: pass the folder of an ONNX model with --model`, { cause });
  }
  return folder;
};

/** The platform opens models below its data folder. */
export const copied = async (folder, copy) => {
  await cp(folder, copy, { recursive: true });
  return copy;
};

/** A copy of a model with another description. */
const described = async (folder, copy, change) => {
  await copied(folder, copy);
  const description = JSON.parse(await readFile(join(folder, 'model.json'), 'utf8'));
  await writeFile(join(copy, 'model.json'), JSON.stringify({ ...description, ...change(description) }, null, 2));
  return copy;
};

/** A copy of a model whose vectors are pooled in another way than it was trained for. */
export const withWrongPooling = (folder, copy) =>
  described(folder, copy, ({ model, pooling }) => ({ model: `${model}-wrong-pooling`, pooling: pooling === 'cls' ? 'mean' : 'cls' }));

/** A copy of a model that has words in front of queries and passages: another model, whose vectors all differ. */
export const withPrefixes = (folder, copy) =>
  described(folder, copy, ({ model }) => ({ model: `${model}-with-prefixes`, queryPrefix: 'query: ', passagePrefix: 'passage: ' }));
