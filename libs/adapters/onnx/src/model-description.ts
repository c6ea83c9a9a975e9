import { InvalidValue } from '@palimpsest/knowledge/errors';
import { MAX_DIMENSIONS, sha256 } from '@palimpsest/knowledge/values';

/**
 * The content of `model.json` in a model's folder. Supports any sentence embedding model of the BERT family (XLM-RoBERTa included) that was
 * exported to ONNX with one vector per token as an output.
 */
export type ModelDescription = Readonly<{
  provider: 'onnx';
  /** The name in the `EmbeddingVersion`. A model that produces different vectors must have a different name. */
  model: string;
  dimensions: number;
  /** How token vectors are combined: their mean, or the vector of the first or last token. */
  pooling: 'mean' | 'cls' | 'last';
  /** Longer texts are truncated; includes special tokens. */
  maxTokens: number;
  /** Vectors are scaled to unit length. The platform requires it. */
  normalize: true;
  /** Prepended to each query or passage; '' for none. */
  queryPrefix: string;
  passagePrefix: string;
  /** Lower-case the text first, for a model whose tokenizer fails to do it. */
  lowercase: boolean;
  /** Languages (ISO 639-1) that the model supports. For others, searches give sparse results more weight. Omitted: any language. */
  languages?: readonly string[];
  /** File name to SHA-256, at least `model.onnx` and `tokenizer.json`. */
  files: Readonly<Record<string, string>>;
  /** Where the files came from, as `palimpsest models download` records it. For people: nothing reads it. */
  source?: Readonly<Record<string, unknown>>;
}>;

type Check<T> = Readonly<{ expected: string; holds: (value: unknown) => value is T }>;

const check = <T>(expected: string, holds: (value: unknown) => boolean): Check<T> => ({
  expected,
  holds: (value): value is T => holds(value),
});

const isWhole = (value: unknown, max: number): boolean => Number.isInteger(value) && Number(value) > 0 && Number(value) <= max;

const FIELDS: { readonly [K in keyof ModelDescription]-?: Check<ModelDescription[K]> } = {
  provider: check('"onnx"', (value) => value === 'onnx'),
  model: check('a name of 1 to 200 characters without spaces', (value) => typeof value === 'string' && /^\S{1,200}$/.test(value)),
  dimensions: check(`a whole number from 1 to ${MAX_DIMENSIONS}`, (value) => isWhole(value, MAX_DIMENSIONS)),
  pooling: check('"mean", "cls" or "last"', (value) => value === 'mean' || value === 'cls' || value === 'last'),
  maxTokens: check('a whole number from 8 to 1000000', (value) => isWhole(value, 1_000_000) && Number(value) >= 8),
  normalize: check('true', (value) => value === true),
  queryPrefix: check('a string', (value) => typeof value === 'string'),
  passagePrefix: check('a string', (value) => typeof value === 'string'),
  lowercase: check('true or false', (value) => typeof value === 'boolean'),
  languages: check('a list of ISO 639-1 codes, such as ["en"], or nothing', (value) => value === undefined || isListOfCodes(value)),
  files: check('file names with their SHA-256', (value) => isRecord(value)),
  source: check('an object, or nothing', (value) => value === undefined || isRecord(value)),
};

const REQUIRED_FILES = ['model.onnx', 'tokenizer.json'];

/** @throws InvalidValue that names the field */
export const modelDescription = (raw: unknown): ModelDescription => {
  if (!isRecord(raw)) throw new InvalidValue('model.json', 'an object', raw);
  for (const [name, { expected, holds }] of Object.entries(FIELDS))
    if (!holds(raw[name])) throw new InvalidValue(`model.json: ${name}`, expected, raw[name]);
  for (const name of Object.keys(raw))
    if (!Object.hasOwn(FIELDS, name)) throw new InvalidValue(`model.json: ${name}`, `one of ${Object.keys(FIELDS).join(', ')}`, name);

  const description = raw as ModelDescription;
  for (const name of REQUIRED_FILES)
    if (!Object.hasOwn(description.files, name)) throw new InvalidValue('model.json: files', `an entry for ${name}`, description.files);
  for (const [name, sum] of Object.entries(description.files)) {
    // Require a name, not a path, so that nothing outside of the folder is read.
    if (!/^[\w-][\w.-]*$/.test(name)) throw new InvalidValue('model.json: files', 'plain file names', name);
    sha256(sum, `model.json: files.${name}`);
  }
  return description;
};

const isListOfCodes = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((code) => typeof code === 'string' && /^[a-z]{2}$/.test(code));

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
