import fc from 'fast-check';
import { InvalidValue } from '../errors.ts';
import { filter, matches, type Attributes, type Filter, type Scalar } from './filter.ts';

const field = fc.constantFrom('language', 'page', 'draft', 'label.team', 'toString', '__proto__');
const scalar: fc.Arbitrary<Scalar> = fc.oneof(fc.constantFrom('en', 'de', '2', ''), fc.integer({ min: -1, max: 3 }), fc.boolean());
const attributes: fc.Arbitrary<Attributes> = fc.dictionary(field, scalar, { maxKeys: 4 });

const { filters } = fc.letrec<{ filters: Filter }>((tie) => {
  const parts = fc.array(tie('filters'), { minLength: 1, maxLength: 3 });
  return {
    filters: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.record({ eq: fc.record({ field, value: scalar }) }),
      fc.record({ in: fc.record({ field, values: fc.array(scalar, { minLength: 1, maxLength: 3 }) }) }),
      fc.record({ prefix: fc.record({ field, value: fc.constantFrom('', 'e', 'en', 'enx') }) }),
      fc.record({ exists: fc.record({ field }) }),
      fc
        .tuple(field, fc.dictionary(fc.constantFrom('gt', 'gte', 'lt', 'lte'), scalar, { minKeys: 1 }))
        .map(([of, bounds]) => ({ range: { field: of, ...bounds } })),
      fc.record({ not: tie('filters') }),
      fc.record({ and: parts }),
      fc.record({ or: parts }),
    ) as fc.Arbitrary<Filter>,
  };
});

const page: Attributes = { language: 'en', page: 2, draft: false, 'label.team': 'red' };

describe('matches', () => {
  it.each<[Filter, boolean]>([
    [{ eq: { field: 'language', value: 'en' } }, true],
    [{ eq: { field: 'page', value: '2' } }, false],
    [{ eq: { field: 'draft', value: false } }, true],
    [{ eq: { field: 'none', value: 'en' } }, false],
    [{ in: { field: 'page', values: [1, 2] } }, true],
    [{ in: { field: 'page', values: ['2', true] } }, false],
    [{ prefix: { field: 'label.team', value: 're' } }, true],
    [{ prefix: { field: 'label.team', value: 'RE' } }, false],
    [{ prefix: { field: 'page', value: '' } }, false],
    [{ exists: { field: 'draft' } }, true],
    [{ exists: { field: 'toString' } }, false],
    [{ exists: { field: '__proto__' } }, false],
    [{ range: { field: 'page', gt: 1, lt: 3 } }, true],
    [{ range: { field: 'page', gt: 2 } }, false],
    [{ range: { field: 'page', gte: 2, lte: 2 } }, true],
    [{ range: { field: 'language', gte: 'd', lt: 'f' } }, true],
    [{ range: { field: 'page', gte: '0' } }, false],
    [{ range: { field: 'none', lte: 9 } }, false],
    [{ and: [{ exists: { field: 'page' } }, { eq: { field: 'language', value: 'de' } }] }, false],
    [{ or: [{ exists: { field: 'none' } }, { eq: { field: 'language', value: 'en' } }] }, true],
    [{ not: { exists: { field: 'none' } } }, true],
  ])('%j is %s', (condition, expected) => expect(matches(condition, page)).toBe(expected));

  it('negates the result of a negated filter', () =>
    fc.assert(fc.property(filters, attributes, (condition, of) => expect(matches({ not: condition }, of)).toBe(!matches(condition, of)))));

  it('obeys De Morgan’s laws', () =>
    fc.assert(
      fc.property(filters, filters, attributes, (a, b, of) =>
        expect(matches({ not: { and: [a, b] } }, of)).toBe(matches({ or: [{ not: a }, { not: b }] }, of)),
      ),
    ));

  it('matches a value in a list exactly if it equals one of them', () =>
    fc.assert(
      fc.property(field, fc.array(scalar, { minLength: 1, maxLength: 4 }), attributes, (of, values, held) =>
        expect(matches({ in: { field: of, values } }, held)).toBe(
          matches({ or: values.map((value) => ({ eq: { field: of, value } })) }, held),
        ),
      ),
    ));
});

describe('filter', () => {
  it('parses every filter after a JSON round trip', () =>
    fc.assert(fc.property(filters, (condition) => expect(filter(JSON.parse(JSON.stringify(condition)))).toEqual(condition))));

  const nested = (depth: number): unknown => (depth === 1 ? { exists: { field: 'a' } } : { not: nested(depth - 1) });
  const many = (count: number): unknown => ({ and: Array.from({ length: count }, () => ({ exists: { field: 'a' } })) });

  it('accepts 16 levels and 256 conditions, and no more', () => {
    expect(filter(nested(16))).toBeDefined();
    expect(() => filter(nested(17))).toThrow(/at most 16 levels/);
    expect(filter(many(255))).toBeDefined();
    expect(() => filter(many(256))).toThrow('filter: expected at most 256 conditions, got "more"');
  });

  it.each<[string, unknown, RegExp]>([
    ['nothing', undefined, /^filter: expected an object with one of and, or, /],
    ['a list', [], /^filter: /],
    ['an empty object', {}, /^filter: /],
    ['two operators in one object', { eq: { field: 'a', value: 1 }, exists: { field: 'a' } }, /^filter: /],
    ['an unknown operator', { equals: { field: 'a', value: 1 } }, /^filter\.equals: /],
    ['the name of a built-in property', { constructor: {} }, /^filter\.constructor: /],
    ['a prototype', JSON.parse('{"__proto__": {"eq": 1}}'), /^filter\.__proto__: /],
    ['an empty list', { and: [] }, /^filter\.and: expected a list of at least one condition/],
    ['an object instead of a list', { or: { 0: {} } }, /^filter\.or: /],
    [
      'an invalid nested condition',
      { and: [{ exists: { field: 'a' } }, { or: [{ not: { eq: { field: 'a' } } }] }] },
      /^filter\.and\[1\]\.or\[0\]\.not\.eq\.value: expected a string, a number/,
    ],
    ['no field', { eq: { value: 1 } }, /^filter\.eq\.field: expected a field name of 1-100 characters, got nothing/],
    ['a field that is too long', { exists: { field: 'x'.repeat(101) } }, /^filter\.exists\.field: /],
    ['a value that is an object', { eq: { field: 'a', value: { $gt: '' } } }, /^filter\.eq\.value: /],
    ['NaN', { eq: { field: 'a', value: NaN } }, /^filter\.eq\.value: /],
    ['null', { eq: { field: 'a', value: null } }, /^filter\.eq\.value: /],
    ['an unknown property', { eq: { field: 'a', value: 1, also: 2 } }, /^filter\.eq\.also: expected one of field, value/],
    ['no values', { in: { field: 'a', values: [] } }, /^filter\.in\.values: /],
    ['too many values', { in: { field: 'a', values: Array(257).fill(1) } }, /^filter\.in\.values: /],
    ['one invalid value of several', { in: { field: 'a', values: [1, null] } }, /^filter\.in\.values\[1\]: /],
    ['a prefix that is a number', { prefix: { field: 'a', value: 1 } }, /^filter\.prefix\.value: expected a string/],
    ['a range without bounds', { range: { field: 'a' } }, /^filter\.range: expected at least one of gt, gte, lt, lte/],
    ['a bound that is a list', { range: { field: 'a', gt: [1] } }, /^filter\.range\.gt: /],
  ])('rejects %s and names the path', (_, raw, message) => {
    expect(() => filter(raw)).toThrow(InvalidValue);
    expect(() => filter(raw)).toThrow(message);
  });

  it('returns a filter or throws InvalidValue for any JSON, however deeply it is nested', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (raw) => {
        try {
          filter(raw);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidValue);
        }
      }),
    );
    const deep = (open: string, close: string): unknown => JSON.parse(`${open.repeat(100_000)}1${close.repeat(100_000)}`);
    for (const raw of [deep('{"not":', '}'), deep('{"and":[', ']}'), { eq: deep('[', ']') }, { eq: { field: 'a', value: deep('[', ']') } }])
      expect(() => filter(raw)).toThrow(InvalidValue);
  });
});
