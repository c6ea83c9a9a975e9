import { InvalidValue } from '../errors.ts';
import { keywordsText } from './keywords.ts';
import { LENGTHS, MAX_LABELS, PATTERNS } from './value-limits.ts';

/** Key-value pairs of a document for use in filters. They are copied to each of its chunks. */
export type Labels = Readonly<Record<string, string>>;

const NAME = new RegExp(PATTERNS.labelName);

/** @throws InvalidValue */
export const labels = (raw: unknown, field = 'labels'): Labels => {
  if (raw === undefined || raw === null) return {};
  if (typeof raw !== 'object' || Array.isArray(raw)) throw new InvalidValue(field, 'an object of strings', raw);
  const entries = Object.entries(raw);
  if (entries.length > MAX_LABELS) throw new InvalidValue(field, `at most ${MAX_LABELS} labels`, `${entries.length} labels`);
  for (const [name, value] of entries) {
    if (!NAME.test(name))
      throw new InvalidValue(
        `${field}.${name}`,
        `a name of at most ${LENGTHS.labelName} letters, digits, "_.-", starting with a letter`,
        name,
      );
    if (typeof value !== 'string' || value.length > LENGTHS.labelValue)
      throw new InvalidValue(`${field}.${name}`, `a string of at most ${LENGTHS.labelValue} characters`, value);
  }
  // Sorted, so that equal labels have equal JSON and equal fingerprints.
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
};

/**
 * Labels as callers may give them: a list of keywords becomes its text.
 * @throws InvalidValue
 */
export const givenLabels = (raw: unknown, field = 'labels'): Labels => {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return labels(raw, field);
  const entries = Object.entries(raw).map(([name, value]) => [name, Array.isArray(value) ? listed(value, `${field}.${name}`) : value]);
  return labels(Object.fromEntries(entries), field);
};

const listed = (keywords: readonly unknown[], field: string): string => {
  const checked = keywords.map((one, n) => {
    if (typeof one !== 'string' || one.trim() === '' || !one.isWellFormed()) throw new InvalidValue(`${field}[${n}]`, 'a keyword', one);
    return one;
  });
  const text = keywordsText(checked);
  if (text.length > LENGTHS.labelValue)
    throw new InvalidValue(field, `keywords of at most ${LENGTHS.labelValue} characters together`, `${text.length} characters`);
  return text;
};

/** The kind of text. Searches can exclude kinds. */
export const ORIGINS = ['UserContent', 'Narrative', 'Note', 'Synthetic'] as const;
export type Origin = (typeof ORIGINS)[number];

/** @throws InvalidValue */
export const origin = (raw: unknown, field = 'origin'): Origin => {
  if (!ORIGINS.includes(raw as Origin)) throw new InvalidValue(field, `one of ${ORIGINS.join(', ')}`, raw);
  return raw as Origin;
};
