import { translate } from './filter-translation.ts';
import { attributePayload, fieldToken, numberKey, valueToken } from './attribute-payload.ts';

const held = (token: string) => ({ key: 'has', match: { value: token } });

describe('translate', () => {
  it('expresses equality with tokens, which include the type of a value', () => {
    expect(translate({ eq: { field: 'a.b', value: 1 } })).toEqual({ condition: held('["a.b",1]'), exact: true });
    expect(new Set([valueToken('a', 1), valueToken('a', '1'), valueToken('a', true), valueToken('a', 'true'), fieldToken('a')]).size).toBe(
      5,
    );
    expect(valueToken('a', -0)).toBe(valueToken('a', 0));
  });

  it('expresses ranges of numbers, and matches nothing if no value can be between the bounds', () => {
    expect(translate({ range: { field: 'page', gte: 1, lt: 3 } })).toEqual({
      condition: { key: `numbers.${numberKey('page')}`, range: { gte: 1, lt: 3 } },
      exact: true,
    });
    expect(translate({ range: { field: 'page', gte: 1, lt: 'x' } })).toEqual({ condition: false, exact: true });
  });

  it('matches more than a prefix or a range of strings, never less, also within a not', () => {
    const prefix = { prefix: { field: 'a', value: 'x' } };
    expect(translate(prefix)).toEqual({ condition: held('["a"]'), exact: false });
    expect(translate({ not: prefix })).toEqual({ condition: true, exact: false });
    expect(translate({ not: { not: prefix } })).toEqual({ condition: { must_not: [{ must_not: [held('["a"]')] }] }, exact: false });
    expect(translate({ not: { range: { field: 'a', gt: 'x' } } })).toEqual({ condition: true, exact: false });
    expect(translate({ and: [prefix, { eq: { field: 'b', value: 'y' } }] })).toEqual({
      condition: { must: [held('["a"]'), held('["b","y"]')] },
      exact: false,
    });
    expect(translate({ or: [{ not: prefix }, { exists: { field: 'b' } }] })).toEqual({ condition: true, exact: false });
  });
});

describe('attributePayload', () => {
  it('keeps long values as hashes, the same for a filter as for a chunk', () => {
    const long = 'x'.repeat(5_000);
    const { has } = attributePayload({ long });
    expect(has).toContain(valueToken('long', long));
    for (const token of has) expect(token.length).toBeLessThan(130);
  });

  it('sends halves of surrogate pairs in a form that every JSON parser accepts, and refuses numbers that JSON cannot represent', () => {
    expect(JSON.stringify(attributePayload({ '\ud800': '\udfff' }))).not.toMatch(/(?<!\\)\\ud/);
    for (const value of [NaN, Infinity])
      expect(() => attributePayload({ page: value })).toThrow('attributes.page: expected a finite number');
  });
});
