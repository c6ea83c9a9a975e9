import { InvalidValue, unreachable } from '../errors.ts';
import { comparable, comparablesIn, type Comparable, type FieldType } from '../values/fields.ts';
import { FILTER_LIMITS } from '../values/value-limits.ts';

/** The fields that a filter can use: a flat record stored with each chunk (`label.<name>`, `origin`, `knowledgeBase`, `language`, …). */
export type Attributes = Readonly<Record<string, string | number | boolean>>;
export type Scalar = string | number | boolean;

/** How a condition compares, if not by the values as they are: callers cannot write it, `asDeclared` adds it. */
type As = Readonly<{ as?: Exclude<FieldType, 'keyword'> }>;

/** A boolean condition over `Attributes`. A missing field satisfies only `not`. */
export type Filter =
  | Readonly<{ and: readonly Filter[] }>
  | Readonly<{ or: readonly Filter[] }>
  | Readonly<{ not: Filter }>
  | Readonly<{ eq: Readonly<{ field: string; value: Scalar }> & As }>
  | Readonly<{ in: Readonly<{ field: string; values: readonly Scalar[] }> & As }>
  | Readonly<{ prefix: Readonly<{ field: string; value: string }> & Readonly<{ as?: 'keywords' }> }>
  | Readonly<{ exists: Readonly<{ field: string }> }>
  | Readonly<{ range: Readonly<{ field: string; gt?: Scalar; gte?: Scalar; lt?: Scalar; lte?: Scalar }> & As }>;

/**
 * Whether `attributes` satisfy `filter`. Values of different types are never equal and never in range; one that is not of the type of the
 * condition is like a missing one. Of a list, one keyword has to satisfy the condition.
 */
export const matches = (filter: Filter, attributes: Attributes): boolean => {
  if ('and' in filter) return filter.and.every((part) => matches(part, attributes));
  if ('or' in filter) return filter.or.some((part) => matches(part, attributes));
  if ('not' in filter) return !matches(filter.not, attributes);
  if ('eq' in filter) return isOneOf(attributes, filter.eq, [filter.eq.value]);
  if ('in' in filter) return isOneOf(attributes, filter.in, filter.in.values);
  if ('prefix' in filter)
    return held(attributes, filter.prefix).some((value) => typeof value === 'string' && value.startsWith(filter.prefix.value));
  if ('exists' in filter) return own(attributes, filter.exists.field) !== undefined;
  if ('range' in filter) return inRange(attributes, filter.range);
  return unreachable(filter);
};

/** The fields that a filter names. */
export const fieldsIn = (filter: Filter): readonly string[] => {
  if ('and' in filter) return filter.and.flatMap(fieldsIn);
  if ('or' in filter) return filter.or.flatMap(fieldsIn);
  if ('not' in filter) return fieldsIn(filter.not);
  return Object.values(filter).map(({ field }: Readonly<{ field: string }>) => field);
};

const own = (attributes: Attributes, field: string): Scalar | undefined =>
  Object.hasOwn(attributes, field) ? attributes[field] : undefined;

const typed = (value: Scalar, { as }: As): Comparable | undefined => (as === undefined ? value : comparable(as, value));

const held = (attributes: Attributes, { field, as }: Readonly<{ field: string }> & As): readonly Comparable[] => {
  const value = own(attributes, field);
  if (value === undefined) return [];
  return as === undefined ? [value] : (comparablesIn(as, value) ?? []);
};

const isOneOf = (attributes: Attributes, of: Readonly<{ field: string }> & As, values: readonly Scalar[]): boolean => {
  const wanted: readonly (Comparable | undefined)[] = of.as === undefined ? values : values.map((value) => typed(value, of));
  return held(attributes, of).some((one) => wanted.includes(one));
};

const inRange = (attributes: Attributes, { field, as, ...bounds }: Extract<Filter, { range: unknown }>['range']): boolean => {
  const of = as === undefined ? {} : { as };
  return held(attributes, { field, ...of }).some((one) =>
    BOUNDS.every(([name, fits]) => {
      const bound = bounds[name];
      return bound === undefined || fits(order(one, typed(bound, of)));
    }),
  );
};

/** Each fits no values of different types. */
const BOUNDS = [
  ['gt', (is: Order) => is === 1],
  ['gte', (is: Order) => is === 1 || is === 0],
  ['lt', (is: Order) => is === -1],
  ['lte', (is: Order) => is === -1 || is === 0],
] as const;

type Order = -1 | 0 | 1 | undefined;

const order = (a: Comparable, b: Comparable | undefined): Order =>
  b === undefined || typeof a !== typeof b ? undefined : a < b ? -1 : a > b ? 1 : 0;

const OPERATORS = ['and', 'or', 'not', 'eq', 'in', 'prefix', 'exists', 'range'] as const;

/**
 * Parses a filter from untrusted JSON: one operator per object, within `FILTER_LIMITS`.
 * @throws InvalidValue with the path of the invalid part
 */
export const filter = (raw: unknown, field = 'filter'): Filter => {
  let nodes = 0;
  const read = (value: unknown, path: string, depth: number): Filter => {
    if (++nodes > FILTER_LIMITS.conditions) throw new InvalidValue(field, `at most ${FILTER_LIMITS.conditions} conditions`, 'more');
    if (depth > FILTER_LIMITS.levels) throw new InvalidValue(path, `at most ${FILTER_LIMITS.levels} levels`, 'deeper nesting');
    const [operator, operand] = only(value, path);
    const at = `${path}.${operator}`;
    switch (operator) {
      case 'and':
      case 'or': {
        if (!Array.isArray(operand) || operand.length === 0) throw new InvalidValue(at, 'a list of at least one condition', operand);
        const parts = operand.map((part, i) => read(part, `${at}[${i}]`, depth + 1));
        return operator === 'and' ? { and: parts } : { or: parts };
      }
      case 'not':
        return { not: read(operand, at, depth + 1) };
      case 'eq': {
        const body = record(operand, at, ['field', 'value']);
        return { eq: { field: name(body['field'], at), value: scalar(body['value'], `${at}.value`) } };
      }
      case 'in': {
        const body = record(operand, at, ['field', 'values']);
        const values = body['values'];
        if (!Array.isArray(values) || values.length === 0 || values.length > FILTER_LIMITS.conditions)
          throw new InvalidValue(`${at}.values`, `a list of 1-${FILTER_LIMITS.conditions} values`, values);
        return { in: { field: name(body['field'], at), values: values.map((v, i) => scalar(v, `${at}.values[${i}]`)) } };
      }
      case 'prefix': {
        const body = record(operand, at, ['field', 'value']);
        if (typeof body['value'] !== 'string') throw new InvalidValue(`${at}.value`, 'a string', body['value']);
        return { prefix: { field: name(body['field'], at), value: body['value'] } };
      }
      case 'exists':
        return { exists: { field: name(record(operand, at, ['field'])['field'], at) } };
      case 'range': {
        const { field: which, ...bounds } = record(operand, at, ['field', 'gt', 'gte', 'lt', 'lte']);
        const given = Object.entries(bounds).map(([k, v]) => [k, scalar(v, `${at}.${k}`)] as const);
        if (given.length === 0) throw new InvalidValue(at, 'at least one of gt, gte, lt, lte', operand);
        return { range: { field: name(which, at), ...Object.fromEntries(given) } };
      }
      default:
        return unreachable(operator);
    }
  };
  return read(raw, field, 1);
};

const only = (value: unknown, path: string): [(typeof OPERATORS)[number], unknown] => {
  const expected = `an object with one of ${OPERATORS.join(', ')}`;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new InvalidValue(path, expected, value);
  const entries = Object.entries(value);
  const [entry] = entries;
  if (entries.length !== 1 || entry === undefined) throw new InvalidValue(path, expected, value);
  const operator = OPERATORS.find((known) => known === entry[0]);
  if (operator === undefined) throw new InvalidValue(`${path}.${entry[0]}`, expected, entry[0]);
  return [operator, entry[1]];
};

const record = (value: unknown, path: string, known: readonly string[]): Readonly<Record<string, unknown>> => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidValue(path, `an object of ${known.join(', ')}`, value);
  for (const key of Object.keys(value))
    if (!known.includes(key)) throw new InvalidValue(`${path}.${key}`, `one of ${known.join(', ')}`, key);
  return value as Record<string, unknown>;
};

const name = (value: unknown, path: string): string => {
  if (typeof value !== 'string' || value.length === 0 || value.length > FILTER_LIMITS.fieldName)
    throw new InvalidValue(`${path}.field`, `a field name of 1-${FILTER_LIMITS.fieldName} characters`, value);
  return value;
};

const scalar = (value: unknown, path: string): Scalar => {
  if (typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return value;
  throw new InvalidValue(path, 'a string, a number, true or false', value);
};
