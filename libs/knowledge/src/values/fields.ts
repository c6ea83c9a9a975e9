import { InvalidValue } from '../errors.ts';
import { keywordsOf } from './keywords.ts';
import type { Labels } from './labels.ts';
import { MAX_FIELDS, PATTERNS } from './value-limits.ts';

export const FIELD_TYPES = ['keyword', 'keywords', 'number', 'date', 'boolean'] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

/** What a knowledge base says about labels and metadata of its documents, by the names that filters use (`label.year`, `meta.created`). */
export type Fields = Readonly<Record<string, FieldType>>;

/** A value as its type compares it: a date as nanoseconds since 1970. */
export type Comparable = string | number | boolean | bigint;

const NAME = new RegExp(PATTERNS.fieldName);
const NUMBER = /^[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?$/;
const DAY = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;
const TIME = new RegExp(PATTERNS.time);

/** @throws InvalidValue */
export const fields = (raw: unknown, field = 'fields'): Fields => {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) throw new InvalidValue(field, 'an object of field types', raw);
  const entries = Object.entries(raw);
  if (entries.length > MAX_FIELDS) throw new InvalidValue(field, `at most ${MAX_FIELDS} fields`, `${entries.length} fields`);
  for (const [name, type] of entries) {
    if (!NAME.test(name) || !name.isWellFormed()) throw new InvalidValue(field, 'names like label.year or meta.created', name);
    if (!FIELD_TYPES.includes(type as FieldType)) throw new InvalidValue(`${field}.${name}`, `one of ${FIELD_TYPES.join(', ')}`, type);
  }
  // Sorted, so that equal declarations have equal JSON.
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))) as Fields;
};

/** `Object.prototype` declares nothing. */
export const typeIn = (fields: Fields | undefined, name: string): FieldType | undefined =>
  fields && Object.hasOwn(fields, name) ? fields[name] : undefined;

/** Undefined if the value is none of this type. A keyword is also what a filter on a list of them names. */
export const comparable = (type: FieldType, value: string | number | boolean): Comparable | undefined => {
  if (type === 'keyword' || type === 'keywords') return typeof value === 'string' ? value : undefined;
  if (type === 'number') return numberOf(value);
  if (type === 'date') return typeof value === 'string' ? instantOf(value) : undefined;
  return typeof value === 'boolean' ? value : value === 'true' ? true : value === 'false' ? false : undefined;
};

/** What a document has in a field of this type: a list has several values, another type one. Undefined if it is none of this type. */
export const comparablesIn = (type: FieldType, held: string | number | boolean): readonly Comparable[] | undefined => {
  if (type === 'keywords') return typeof held === 'string' ? keywordsOf(held) : undefined;
  const only = comparable(type, held);
  return only === undefined ? undefined : [only];
};

/** Larger numbers are refused: two that differ could be equal. */
const numberOf = (value: string | number | boolean): number | undefined => {
  const number = typeof value === 'string' && NUMBER.test(value) ? Number(value) : value;
  return typeof number === 'number' && Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : undefined;
};

/** A day is its first moment in UTC. */
const instantOf = (text: string): bigint | undefined => {
  if (DAY.test(text)) return instantOf(`${text}T00:00:00Z`);
  if (!TIME.test(text)) return undefined;
  const [upper, seconds] = [text.toUpperCase(), text.slice(0, 19).toUpperCase()];
  // `Date` takes 30 February for 2 March, and 24:00 for the next day.
  const local = new Date(`${seconds}Z`);
  if (Number.isNaN(local.getTime()) || local.toISOString().slice(0, 19) !== seconds) return undefined;
  const [, fraction = '', offset = 'Z'] = /^.{19}(?:[.]([0-9]+))?(.+)$/.exec(upper) ?? [];
  const at = Date.parse(seconds + offset);
  return Number.isNaN(at) ? undefined : BigInt(at) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
};

/** For messages. */
export const EXPECTED_TYPES: Readonly<Record<FieldType, string>> = {
  keyword: 'text',
  keywords: 'keywords separated by commas, or a list of them in JSON',
  number: `a decimal number from -${Number.MAX_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`,
  date: 'a date like 2026-11-28, or a time with its offset from UTC like 2026-11-28T09:30:00Z',
  boolean: 'true or false',
};

/** @throws InvalidValue naming the first label whose value is not of its declared type */
export const checkLabels = (labels: Labels, declared: Fields | undefined): void => {
  for (const [name, value] of Object.entries(labels)) {
    const type = typeIn(declared, `label.${name}`);
    if (type !== undefined && comparablesIn(type, value) === undefined)
      throw new InvalidValue(`labels.${name}`, `${EXPECTED_TYPES[type]}, which the knowledge base declares`, value);
  }
};
