import { InvalidValue } from '@palimpsest/knowledge/errors';
import { isRecord, textIn, type Json } from './json-fields.ts';

export type Pooling = 'mean' | 'cls' | 'last';

/** Our pooling for each name of `sentence-transformers`. A mean divided by another number has the same direction. */
const MODES: Readonly<Record<string, Pooling>> = {
  mean: 'mean',
  mean_sqrt_len_tokens: 'mean',
  mean_tokens: 'mean',
  cls: 'cls',
  cls_token: 'cls',
  lasttoken: 'last',
};

/**
 * The pooling that `1_Pooling/config.json` describes: by one name, or by one flag for each.
 * @throws InvalidValue for combinations, and for poolings that the platform does not have
 */
export const poolingOf = (config: Json): Pooling => {
  const named = textIn(config, 'pooling_mode');
  const flags = Object.entries(config).filter(([name, value]) => name.startsWith('pooling_mode_') && value === true);
  const modes = named === undefined ? flags.map(([name]) => name.slice('pooling_mode_'.length)) : [named];
  const pooling = modes.length === 1 ? MODES[modes[0] as string] : undefined;
  if (pooling === undefined)
    throw new InvalidValue('--pooling', 'mean, cls or last: the pooling of this repository is not supported', modes.join(' + '));
  if (config['include_prompt'] === false && pooling === 'mean')
    throw new InvalidValue('repository', 'a model whose mean includes the prefix (include_prompt)', false);
  return pooling;
};

const SUPPORTED = ['Transformer', 'Pooling', 'Normalize'];

/**
 * Checks that the model consists of parts that the ONNX file and the platform have. A further layer, such as `Dense`, would be missing.
 * @returns the folder of the pooling, if named
 * @throws InvalidValue
 */
export const checkModules = (modules: unknown): string | undefined => {
  if (!Array.isArray(modules)) return undefined;
  const parts = modules
    .filter(isRecord)
    .map((part) => ({ type: (textIn(part, 'type') ?? '').split('.').at(-1) ?? '', path: textIn(part, 'path') }));
  const other = parts.find(({ type }) => !SUPPORTED.includes(type));
  if (other !== undefined) throw new InvalidValue('repository', `a model of ${SUPPORTED.join(', ')} only (modules.json)`, other.type);
  return parts.find(({ type }) => type === 'Pooling')?.path;
};
