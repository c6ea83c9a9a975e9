import fc from 'fast-check';
import {
  asDeclared,
  type Attributes,
  type DeclaredFields,
  type Fields,
  type FieldType,
  type Filter,
  type Scalar,
} from '@palimpsest/knowledge/access';
import { knowledgeBaseId } from '@palimpsest/knowledge/values';

/** What a text means as each type, looked up instead of parsed. Dates: their order. A type that is missing is not that of the text. */
type Meaning = Readonly<{ number?: number; date?: number; boolean?: boolean }>;
const MEANINGS: Readonly<Record<string, Meaning>> = {
  '1': { number: 1 },
  '1.0': { number: 1 },
  '+10e-1': { number: 1 },
  '-2.5': { number: -2.5 },
  '10': { number: 10 },
  '1e999': {},
  '9007199254740993': {},
  '0x10': {},
  NaN: {},
  '': {},
  '2026-02-27T23:59:59.999999999Z': { date: 1 },
  '2026-02-28': { date: 2 },
  '2026-02-28t00:00:00z': { date: 2 },
  '2026-02-28T02:00:00+02:00': { date: 2 },
  '2026-02-27T23:00:00.000000001-01:00': { date: 3 },
  '2026-02-30': {},
  '2026-02-28T24:00:00Z': {},
  true: { boolean: true },
  false: { boolean: false },
  'red, blue': {},
  'red;blue, light,': {},
  '["red", "blue, light"]': {},
  '[red]': {},
};

/** What a text lists, where that is not the text alone. */
const LISTS: Readonly<Record<string, readonly string[] | undefined>> = {
  '': [],
  'red, blue': ['red', 'blue'],
  'red;blue, light,': ['red', 'blue', 'light'],
  '["red", "blue, light"]': ['red', 'blue, light'],
  '[red]': undefined,
};

const KINDS: Readonly<Record<string, Fields | undefined>> = {
  typed: { 'label.a': 'number', 'label.b': 'date', 'label.c': 'boolean', 'label.d': 'keyword' },
  other: { 'label.a': 'date', 'label.b': 'number', 'label.c': 'keywords', 'label.d': 'keywords' },
  plain: undefined,
};
const BASES = Object.keys(KINDS);

/** What a value means where a field has this type; without one, what it is. */
const meaning = (type: FieldType | undefined, value: Scalar): Scalar | undefined => {
  if (type === undefined) return value;
  if (type === 'keyword' || type === 'keywords') return typeof value === 'string' ? value : undefined;
  if (typeof value === 'string') return MEANINGS[value]?.[type];
  return typeof value === type ? value : undefined;
};

/** The values of a document in a field of this type: several of a list, of another type one or none. */
const meanings = (type: FieldType | undefined, value: Scalar | undefined): readonly Scalar[] => {
  if (value === undefined) return [];
  if (type === 'keywords') return typeof value !== 'string' ? [] : Object.hasOwn(LISTS, value) ? (LISTS[value] ?? []) : [value];
  const only = meaning(type, value);
  return only === undefined ? [] : [only];
};

const isBelow = (a: Scalar, b: Scalar): boolean => typeof a === typeof b && a < b;

/** Whether a document with these attributes satisfies the filter where its knowledge base declares `fields`; written without the code under test. */
const satisfiesNaively = (filter: Filter, of: Attributes, fields: Fields = {}): boolean => {
  if ('and' in filter) return !filter.and.some((part) => !satisfiesNaively(part, of, fields));
  if ('or' in filter) return filter.or.filter((part) => satisfiesNaively(part, of, fields)).length > 0;
  if ('not' in filter) return !satisfiesNaively(filter.not, of, fields);
  const [operator, condition] = Object.entries(filter)[0] as [string, Readonly<{ field: string }>];
  const raw = new Map(Object.entries(of)).get(condition.field);
  if (operator === 'exists') return raw !== undefined;
  const type = new Map(Object.entries(fields)).get(condition.field);
  return meanings(type, raw).some((held) => isMet(filter, held, type));
};

const isMet = (filter: Filter, held: Scalar, type: FieldType | undefined): boolean => {
  const wanted = (value: Scalar) => meaning(type, value);
  if ('eq' in filter) return wanted(filter.eq.value) === held;
  if ('in' in filter) return filter.in.values.map(wanted).includes(held);
  if ('prefix' in filter)
    return (
      ['keyword', 'keywords', undefined].includes(type) &&
      typeof held === 'string' &&
      held.slice(0, filter.prefix.value.length) === filter.prefix.value
    );
  if ('range' in filter) return type !== 'keywords' && isWithin(held, filter.range, wanted);
  throw new Error(`unknown operator in ${JSON.stringify(filter)}`);
};

type Range = Extract<Filter, { range: unknown }>['range'];

const isWithin = (held: Scalar, { gt, gte, lt, lte }: Range, wanted: (value: Scalar) => Scalar | undefined): boolean => {
  const holds = (bound: Scalar | undefined, fits: (bound: Scalar) => boolean) => {
    const at = bound === undefined ? undefined : wanted(bound);
    return bound === undefined || (at !== undefined && fits(at));
  };
  return (
    holds(gt, (at) => isBelow(at, held)) &&
    holds(gte, (at) => at === held || isBelow(at, held)) &&
    holds(lt, (at) => isBelow(held, at)) &&
    holds(lte, (at) => at === held || isBelow(held, at))
  );
};

const field = fc.constantFrom('label.a', 'label.b', 'label.c', 'label.d', 'toString');
const text = fc.constantFrom(...Object.keys(MEANINGS));
const keyword = fc.constantFrom('red', 'blue', 'light', 'blue, light');
const value: fc.Arbitrary<Scalar> = fc.oneof({ weight: 3, arbitrary: text }, keyword, fc.constantFrom(1, -2.5, 10), fc.boolean());
const bound = fc.constantFrom('gt', 'gte', 'lt', 'lte');

const { filters } = fc.letrec<{ filters: Filter }>((tie) => {
  const parts = fc.array(tie('filters'), { minLength: 1, maxLength: 3 });
  return {
    filters: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.record({ eq: fc.record({ field, value }) }),
      fc.record({ in: fc.record({ field, values: fc.array(value, { minLength: 1, maxLength: 3 }) }) }),
      fc.record({ prefix: fc.record({ field, value: fc.constantFrom('', '2026-02-2', '1', 't', 'blu', '[') }) }),
      fc.record({ exists: fc.record({ field }) }),
      fc.tuple(field, fc.dictionary(bound, value, { minKeys: 1 })).map(([of, bounds]) => ({ range: { field: of, ...bounds } })),
      fc.record({ not: tie('filters') }),
      fc.record({ and: parts }),
      fc.record({ or: parts }),
    ) as fc.Arbitrary<Filter>,
  };
});

const document: fc.Arbitrary<Attributes> = fc
  .tuple(fc.constantFrom(...BASES), fc.dictionary(field, text, { maxKeys: 4 }))
  .map(([knowledgeBase, labels]) => ({ knowledgeBase, ...labels }));

const basesOf = (documents: readonly Attributes[]): readonly DeclaredFields[] =>
  [...new Set(documents.map(({ knowledgeBase }) => String(knowledgeBase)))].map((id) => {
    const declared = KINDS[id];
    return { id: knowledgeBaseId(id), ...(declared === undefined ? {} : { fields: declared }) };
  });

/** A filter as a store gets it, and the numbers of the documents that satisfy it. */
export type Expectation = Readonly<{ filter: Filter; found: readonly number[] }>;

/** Documents of knowledge bases that declare different fields or none, and conditions on them. */
export const filterCases: fc.Arbitrary<Readonly<{ documents: readonly Attributes[]; expected: readonly Expectation[] }>> = fc
  .tuple(fc.array(document, { minLength: 1, maxLength: 30 }), fc.array(filters, { minLength: 1, maxLength: 6 }))
  .map(([documents, asked]) => ({
    documents,
    expected: asked.map((filter) => {
      const satisfies = (of: Attributes) => satisfiesNaively(filter, of, KINDS[String(of['knowledgeBase'])]);
      return { filter: asDeclared(filter, basesOf(documents)), found: documents.flatMap((of, n) => (satisfies(of) ? [n] : [])) };
    }),
  }));
