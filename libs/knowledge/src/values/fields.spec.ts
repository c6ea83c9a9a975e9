import { InvalidValue } from '../errors.ts';
import { checkLabels, comparable, comparablesIn, fields } from './fields.ts';

describe('fields', () => {
  it('accepts labels and metadata with a type, and sorts them', () => {
    const declared = {
      'meta.Größe (cm)': 'number',
      'label.valid-from': 'date',
      'label.a': 'keyword',
      'meta.tags': 'keywords',
      'meta.draft': 'boolean',
    };
    expect(Object.keys(fields(declared))).toEqual(['label.a', 'label.valid-from', 'meta.Größe (cm)', 'meta.draft', 'meta.tags']);
    expect(fields(declared)).toEqual(declared);
    expect(fields({})).toEqual({});
  });

  it.each<[string, unknown, string]>([
    ['a list', [], 'fields: expected an object of field types, got []'],
    ['nothing', null, 'fields: expected an object of field types, got null'],
    ['a name without a place', { year: 'number' }, 'fields: expected names like label.year or meta.created, got "year"'],
    ['a field that every document has', { title: 'number' }, 'fields: expected names like label.year or meta.created, got "title"'],
    ['a label that cannot exist', { 'label.1st': 'number' }, 'fields: expected names like label.year or meta.created, got "label.1st"'],
    ['an unknown type', { 'label.a': 'text' }, 'fields.label.a: expected one of keyword, keywords, number, date, boolean, got "text"'],
    ['a prototype', JSON.parse('{"__proto__": "date"}'), 'fields: expected names like label.year or meta.created, got "__proto__"'],
    ['a lone surrogate', { 'meta.\ud800': 'date' }, 'fields: expected names like label.year or meta.created, got'],
  ])('refuses %s', (_, raw, message) => {
    expect(() => fields(raw)).toThrow(InvalidValue);
    expect(() => fields(raw)).toThrow(message);
  });

  it('accepts 64 fields, and no more', () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`label.a${n}`, 'date']));
    expect(Object.keys(fields(many(64)))).toHaveLength(64);
    expect(() => fields(many(65))).toThrow('fields: expected at most 64 fields, got "65 fields"');
  });
});

describe('comparable', () => {
  it.each<[string | number | boolean, number | undefined]>([
    ['2026', 2026],
    ['-1.50', -1.5],
    ['.5', 0.5],
    ['1e3', 1000],
    [9007199254740991, 9007199254740991],
    ['9007199254740992', undefined],
    ['1e999', undefined],
    [Infinity, undefined],
    [NaN, undefined],
    ['NaN', undefined],
    ['0x10', undefined],
    ['', undefined],
    [' 1', undefined],
    ['1,5', undefined],
    ['١', undefined],
    [true, undefined],
  ])('takes %j as the number %j', (value, expected) => expect(comparable('number', value)).toBe(expected));

  it.each<[string, string | undefined]>([
    ['2026-02-28', '2026-02-28T00:00:00.000Z'],
    ['2026-02-28T23:30:00-01:30', '2026-03-01T01:00:00.000Z'],
    ['2026-02-28t09:30:00.250z', '2026-02-28T09:30:00.250Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['0000-01-01', '0000-01-01T00:00:00.000Z'],
    ['2026-02-29', undefined],
    ['2026-02-30', undefined],
    ['2026-13-01', undefined],
    ['2026-02-28T24:00:00Z', undefined],
    ['2026-02-28T09:60:00Z', undefined],
    ['2026-06-30T23:59:60Z', undefined],
    ['2026-02-28T09:30:00+24:00', undefined],
    ['2026-02-28T09:30:00', undefined],
    ['2026-02-28T09:30Z', undefined],
    ['2026-2-8', undefined],
    ['20260228', undefined],
    ['yesterday', undefined],
    ['2026-02-28\n', undefined],
  ])('takes %j as the date %j', (text, expected) =>
    expect(comparable('date', text)).toBe(expected === undefined ? undefined : BigInt(Date.parse(expected)) * 1_000_000n),
  );

  it('keeps nanoseconds of dates apart', () => {
    const [early, late] = ['2026-02-28T00:00:00.000000001Z', '2026-02-28T02:00:00.000000002+02:00'].map((text) => comparable('date', text));
    expect(Number(late) && late === (early as bigint) + 1n).toBe(true);
    expect(comparable('date', 20260228)).toBeUndefined();
  });

  it('takes true and false as booleans, and text as keywords', () => {
    expect(['true', 'false', 'TRUE', '1', true, 1].map((one) => comparable('boolean', one))).toEqual([
      ...[true, false, undefined, undefined, true, undefined],
    ]);
    expect(['', 'a', 1, true].map((one) => comparable('keyword', one))).toEqual(['', 'a', undefined, undefined]);
  });
});

describe('comparablesIn', () => {
  it('takes a list as its keywords, and another value as one', () => {
    expect(['red, blue', '["a, b"]', '', '[a]', 1].map((held) => comparablesIn('keywords', held))).toEqual([
      ...[['red', 'blue'], ['a, b'], [], undefined, undefined],
    ]);
    expect(comparablesIn('keyword', 'red, blue')).toEqual(['red, blue']);
    expect(['2', 'two'].map((held) => comparablesIn('number', held))).toEqual([[2], undefined]);
  });
});

describe('checkLabels', () => {
  const declared = fields({ 'label.year': 'number', 'label.due': 'date', 'meta.team': 'number' });

  it('accepts values of the declared type, and any of what is not declared', () => {
    expect(() => checkLabels({ year: '2026', due: '2026-11-28', team: 'red', toString: 'x' }, declared)).not.toThrow();
    expect(() => checkLabels({ year: 'none' }, undefined)).not.toThrow();
  });

  it('refuses another value, and names the label and what was expected', () => {
    expect(() => checkLabels({ due: '2026-02-30' }, declared)).toThrow(
      'labels.due: expected a date like 2026-11-28, or a time with its offset from UTC like 2026-11-28T09:30:00Z, which the knowledge base declares, got "2026-02-30"',
    );
    expect(() => checkLabels({ tags: '["red", blue]' }, fields({ 'label.tags': 'keywords' }))).toThrow(
      'labels.tags: expected keywords separated by commas, or a list of them in JSON, which the knowledge base declares, got "[\"red\", blue]"',
    );
    expect(() => checkLabels({ year: '' }, declared)).toThrow(/^labels\.year: expected a decimal number/);
  });
});
