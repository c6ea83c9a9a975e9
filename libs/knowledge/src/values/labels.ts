import { InvalidValue } from '../errors.ts';

/** Key-value pairs of a document for use in filters. They are copied to each of its chunks. At most 32. */
export type Labels = Readonly<Record<string, string>>;

const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;
const MAX_LABELS = 32;
const MAX_VALUE = 256;

/** @throws InvalidValue */
export const labels = (raw: unknown, field = 'labels'): Labels => {
  if (raw === undefined || raw === null) return {};
  if (typeof raw !== 'object' || Array.isArray(raw)) throw new InvalidValue(field, 'an object of strings', raw);
  const entries = Object.entries(raw);
  if (entries.length > MAX_LABELS) throw new InvalidValue(field, `at most ${MAX_LABELS} labels`, `${entries.length} labels`);
  for (const [name, value] of entries) {
    if (!NAME.test(name))
      throw new InvalidValue(`${field}.${name}`, 'a name of at most 64 letters, digits, "_.-", starting with a letter', name);
    if (typeof value !== 'string' || value.length > MAX_VALUE)
      throw new InvalidValue(`${field}.${name}`, `a string of at most ${MAX_VALUE} characters`, value);
  }
  // Sorted, so that equal labels have equal JSON and equal fingerprints.
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
};

/** The kind of text. Searches can exclude kinds. */
export const ORIGINS = ['UserContent', 'Narrative', 'Note', 'Synthetic'] as const;
export type Origin = (typeof ORIGINS)[number];

/** @throws InvalidValue */
export const origin = (raw: unknown, field = 'origin'): Origin => {
  if (!ORIGINS.includes(raw as Origin)) throw new InvalidValue(field, `one of ${ORIGINS.join(', ')}`, raw);
  return raw as Origin;
};
