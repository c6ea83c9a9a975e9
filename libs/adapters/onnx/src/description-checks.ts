import { InvalidValue } from '@palimpsest/knowledge/errors';
import { sha256 } from '@palimpsest/knowledge/values';

export type Check<T> = Readonly<{ expected: string; holds: (value: unknown) => value is T }>;
export type Checks<Description> = { readonly [K in keyof Description]-?: Check<Description[K]> };

export const check = <T>(expected: string, holds: (value: unknown) => boolean): Check<T> => ({
  expected,
  holds: (value): value is T => holds(value),
});

export const isWhole = (value: unknown, max: number): boolean => Number.isInteger(value) && Number(value) > 0 && Number(value) <= max;

type Files = Readonly<Record<string, string>>;

/** The fields of `model.json` that models of all kinds have. */
export const DESCRIPTION_CHECKS = {
  provider: check<'onnx'>('"onnx"', (value) => value === 'onnx'),
  model: check<string>('a name of 1 to 200 characters without spaces', (value) => typeof value === 'string' && /^\S{1,200}$/.test(value)),
  maxTokens: check<number>('a whole number from 8 to 1000000', (value) => isWhole(value, 1_000_000) && Number(value) >= 8),
  lowercase: check<boolean>('true or false', (value) => typeof value === 'boolean'),
  files: check<Files>('file names with their SHA-256', (value) => isRecord(value)),
  source: check<Readonly<Record<string, unknown>> | undefined>('an object, or nothing', (value) => value === undefined || isRecord(value)),
};

const REQUIRED_FILES = ['model.onnx', 'tokenizer.json'];

/** @throws InvalidValue that names the field */
export const checked = <Description extends Readonly<{ files: Files }>>(raw: unknown, checks: Checks<Description>): Description => {
  if (!isRecord(raw)) throw new InvalidValue('model.json', 'an object', raw);
  for (const [name, { expected, holds }] of Object.entries<Check<unknown>>(checks))
    if (!holds(raw[name])) throw new InvalidValue(`model.json: ${name}`, expected, raw[name]);
  for (const name of Object.keys(raw))
    if (!Object.hasOwn(checks, name)) throw new InvalidValue(`model.json: ${name}`, `one of ${Object.keys(checks).join(', ')}`, name);

  const { files } = raw as unknown as Description;
  for (const name of REQUIRED_FILES)
    if (!Object.hasOwn(files, name)) throw new InvalidValue('model.json: files', `an entry for ${name}`, files);
  for (const [name, sum] of Object.entries(files)) {
    // Require a name, not a path, so that nothing outside of the folder is read.
    if (!/^[\w-][\w.-]*$/.test(name)) throw new InvalidValue('model.json: files', 'plain file names', name);
    sha256(sum, `model.json: files.${name}`);
  }
  return raw as unknown as Description;
};

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
