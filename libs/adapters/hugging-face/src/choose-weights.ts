import { InvalidValue } from '@palimpsest/knowledge/errors';
import { baseName, folderOf } from './safe-path.ts';

/** `label`: for the name of the model. */
export type Weights = Readonly<{ path: string; label: string }>;

const FOLDERS = ['onnx/', ''];
/** Names that exporters give to a kind of weights, the preferred one first. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  int8: [
    'model_quantized.onnx',
    'model_int8.onnx',
    'model_uint8.onnx',
    'model_quint8_avx2.onnx',
    'model_qint8_avx512_vnni.onnx',
    'model_qint8_avx512.onnx',
    'model_qint8_arm64.onnx',
  ],
  fp32: ['model.onnx'],
};

/**
 * Chooses the file with the weights.
 * @param choice `int8`, `fp32`, or the path of a file in the repository
 * @throws InvalidValue that names the files to choose from
 */
export const chooseWeights = (paths: readonly string[], choice: string): Weights => {
  const graphs = paths.filter((path) => path.endsWith('.onnx'));
  const names = KINDS[choice];
  if (names === undefined && graphs.includes(choice)) return { path: choice, label: baseName(choice).replace(/\.onnx$/, '') };
  const path = (names ?? []).flatMap((name) => FOLDERS.map((folder) => folder + name)).find((candidate) => graphs.includes(candidate));
  if (path !== undefined) return { path, label: choice };
  const available =
    graphs.length === 0 ? 'a repository with ONNX files; this one has none' : `int8, fp32 or one of ${graphs.slice(0, 20).join(', ')}`;
  throw new InvalidValue('--weights', available, choice);
};

/** The tokenizer next to the weights, or at the top. @throws InvalidValue if there is none */
export const chooseTokenizer = (paths: readonly string[], weights: string): string => {
  const path = ['tokenizer.json', `${folderOf(weights)}tokenizer.json`].find((candidate) => paths.includes(candidate));
  if (path === undefined)
    throw new InvalidValue('repository', 'a repository with tokenizer.json (other formats of tokenizers are not supported)', undefined);
  return path;
};

const NOT_WEIGHTS = /\.(?:onnx|json|txt|md|xml|model|py|png|jpe?g|svg|yaml)$/i;
const PLAIN_NAME = /^[A-Za-z0-9_][\w.-]{4,200}$/;

/** Files next to the weights that may hold a part of them. */
export const possibleData = (paths: readonly string[], weights: string): readonly string[] =>
  paths.filter((path) => folderOf(path) === folderOf(weights) && PLAIN_NAME.test(baseName(path)) && !NOT_WEIGHTS.test(path));

/** The usual names of such files, for an estimate before the weights are there. */
export const usualData = (paths: readonly string[], weights: string): readonly string[] =>
  paths.filter((path) => path.startsWith(weights) && /^[._]data(?:_\d+)?$/.test(path.slice(weights.length)));
