import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { modelsFile, parseInput } from '@palimpsest/contracts';
import { errorCode } from '@palimpsest/foundation';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { ModelDefinition } from '@palimpsest/knowledge/models';

const SETTING = 'PALIMPSEST_MODELS';
/** Far more than 200 models need. */
const MAX_BYTES = 1_000_000;

/** `at`: the place in the file, for errors. The folder of an ONNX model is absolute. */
export type DeclaredModel = Readonly<{ definition: ModelDefinition; isDefault: boolean; at: string }>;

/** Reads the models that a file declares; without a file, there are none. @throws InvalidValue naming file, model and field */
export const readModelsFile = (file: string | undefined): readonly DeclaredModel[] => {
  if (file === undefined) return [];
  const { models } = parseInput(modelsFile, jsonOf(file), `${SETTING} (${file})`);
  return models.map(({ default: isDefault, onnx, ...rest }, i) => ({
    definition: onnx === undefined ? rest : { ...rest, onnx: resolve(dirname(file), onnx) },
    isDefault,
    at: `${SETTING} (${file}).models[${i}]`,
  }));
};

const jsonOf = (file: string): unknown => {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new InvalidValue(SETTING, 'a file that can be read', `${file} (${errorCode(error) ?? String(error)})`);
  }
  if (text.length > MAX_BYTES) throw new InvalidValue(SETTING, `a file of at most ${MAX_BYTES} characters`, `${file} (${text.length})`);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new InvalidValue(SETTING, 'a JSON file', `${file} (${(error as Error).message})`);
  }
};
