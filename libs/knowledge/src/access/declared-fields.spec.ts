import { knowledgeBaseId } from '../values/ids.ts';
import type { Fields } from '../values/fields.ts';
import { asDeclared, checkFilter, needsDeclarations, type DeclaredFields } from './declared-fields.ts';
import { matches, type Filter } from './filter.ts';

const base = (id: string, fields?: Fields): DeclaredFields => ({ id: knowledgeBaseId(id), ...(fields ? { fields } : {}) });
const reports = base('reports', {
  'label.year': 'number',
  'label.due': 'date',
  'label.done': 'boolean',
  'label.team': 'keyword',
  'label.tags': 'keywords',
});
const letters = base('letters', { 'label.year': 'date' });
const plain = base('plain');

const within = (field: string, bounds: Readonly<Record<string, string | number | boolean>>): Filter => ({ range: { field, ...bounds } });
const found = (filter: Filter, bases: readonly DeclaredFields[], of: Readonly<Record<string, string>>) =>
  matches(asDeclared(filter, bases), { knowledgeBase: 'reports', ...of });

describe('asDeclared', () => {
  it.each<[string, Filter, Readonly<Record<string, string>>, boolean]>([
    ['numbers by their value', within('label.year', { gte: 1000 }), { 'label.year': '999' }, false],
    ['numbers by their value, also given as text', within('label.year', { lt: '1000' }), { 'label.year': '999' }, true],
    ['numbers written in another way', { eq: { field: 'label.year', value: 5 } }, { 'label.year': '5.0' }, true],
    ['dates as instants', within('label.due', { gte: '2026-11-28T00:00:00Z' }), { 'label.due': '2026-11-28T01:00:00+02:00' }, false],
    ['days with times', within('label.due', { lte: '2026-11-28' }), { 'label.due': '2026-11-28T00:00:00Z' }, true],
    ['equal instants', { in: { field: 'label.due', values: ['2026-11-28'] } }, { 'label.due': '2026-11-28T02:00:00+02:00' }, true],
    ['booleans', { eq: { field: 'label.done', value: true } }, { 'label.done': 'true' }, true],
    ['keywords as text', within('label.team', { gte: 'b' }), { 'label.team': 'a' }, false],
    ['a list by each of its keywords', { eq: { field: 'label.tags', value: 'blue' } }, { 'label.tags': 'red, blue' }, true],
    ['a list not by its text', { eq: { field: 'label.tags', value: 'red, blue' } }, { 'label.tags': 'red, blue' }, false],
    ['a list by any of several', { in: { field: 'label.tags', values: ['green', 'red'] } }, { 'label.tags': '["red", "a, b"]' }, true],
    ['a list by the beginning of a keyword', { prefix: { field: 'label.tags', value: 'bl' } }, { 'label.tags': 'red, blue' }, true],
    ['a list not by the beginning of its JSON', { prefix: { field: 'label.tags', value: '[' } }, { 'label.tags': '["red"]' }, false],
    ['a list that lacks a keyword', { not: { eq: { field: 'label.tags', value: 'blue' } } }, { 'label.tags': 'red' }, true],
    ['an empty list as one that exists', { exists: { field: 'label.tags' } }, { 'label.tags': '' }, true],
    ['an empty list as one that has nothing', { prefix: { field: 'label.tags', value: '' } }, { 'label.tags': '' }, false],
    ['nothing with what is not of the type', within('label.year', { gte: -1e9 }), { 'label.year': 'unknown' }, false],
    ['a value of another type as a missing one', { not: within('label.year', { gte: 0 }) }, { 'label.year': 'unknown' }, true],
    ['the existence of any value', { exists: { field: 'label.year' } }, { 'label.year': 'unknown' }, true],
    ['fields that every document has as text', within('title', { gte: 'b' }), { title: 'c' }, true],
  ])('compares %s', (_, filter, of, expected) => expect(found(filter, [reports], of)).toBe(expected));

  it('compares by the type of the knowledge base of each document', () => {
    const filter: Filter = { or: [within('label.year', { gte: '100' }), within('label.year', { gte: '2026-01-01' })] };
    const of = (knowledgeBase: string, year: string) => found(filter, [reports, letters, plain], { knowledgeBase, 'label.year': year });
    expect([of('reports', '1e2'), of('reports', '99'), of('reports', '2026-02-02')]).toEqual([true, false, false]);
    expect([of('letters', '2026-02-02'), of('letters', '1e2')]).toEqual([true, false]);
    expect([of('plain', '1e2'), of('plain', '2026-02-02'), of('plain', '0')]).toEqual([true, true, false]);
  });

  it('leaves a filter as it is where nothing is declared', () => {
    const filter: Filter = { eq: { field: 'label.unknown', value: 1 } };
    expect(asDeclared(filter, [plain])).toBe(filter);
    expect(asDeclared({ not: filter }, [])).toEqual({ not: filter });
  });

  it('compares as text what no knowledge base declares any more', () =>
    expect(found({ eq: { field: 'label.old', value: '1' } }, [reports, letters], { 'label.old': '1' })).toBe(true));
});

describe('checkFilter', () => {
  it('refuses a field that none declares, unless one declares nothing', () => {
    const filter: Filter = { not: { exists: { field: 'lable.year' } } };
    expect(() => checkFilter(filter, [reports, letters])).toThrow(
      'filter: expected a field that the knowledge base declares (label.done, label.due, label.tags, label.team, label.year, documentId, knowledgeBase, source, title, mediaType, language, origin), got "lable.year"',
    );
    expect(() => checkFilter({ eq: { field: 'toString', value: 'x' } }, [reports])).toThrow(/got "toString"$/);
    expect(found(filter, [reports, plain], {})).toBe(true);
    expect(() => checkFilter({ eq: { field: 'label.team', value: 'red' } }, [reports, letters])).not.toThrow();
  });

  it('names some of many declared fields', () => {
    const many = base('many', Object.fromEntries(Array.from({ length: 64 }, (_, n) => [`label.a${n}`, 'number'])) as Fields);
    expect(() => checkFilter({ exists: { field: 'label.b' } }, [many])).toThrow(/34 more, documentId/);
  });

  it.each<[string, Filter, RegExp]>([
    [
      'text as a number',
      { eq: { field: 'label.year', value: 'new' } },
      /^filter: expected a decimal number .* for label\.year, which is declared as number, got "new"$/,
    ],
    [
      'a day that does not exist',
      within('label.due', { gte: '2026-02-30' }),
      /^filter: expected a date .* for label\.due, which is declared as date, got "2026-02-30"$/,
    ],
    [
      'one wrong value of several',
      { in: { field: 'label.done', values: [true, 'maybe'] } },
      /^filter: expected true or false for label\.done/,
    ],
    ['a number as a keyword', { not: { eq: { field: 'label.team', value: 7 } } }, /^filter: expected text for label\.team/],
    ['a number that is too large', within('label.year', { lt: 1e300 }), /^filter: expected a decimal number/],
    [
      'a prefix of a number',
      { and: [{ prefix: { field: 'label.year', value: '2' } }] },
      /^filter: expected no prefix of label\.year, which is declared as number/,
    ],
    [
      'a range of a list',
      within('label.tags', { gte: 'a' }),
      /^filter: expected no range of label\.tags, which is declared as keywords, got "a"$/,
    ],
    [
      'a number as a keyword of a list',
      { eq: { field: 'label.tags', value: 7 } },
      /^filter: expected text for label\.tags, which is declared/,
    ],
  ])('refuses %s', (_, filter, message) => expect(() => checkFilter(filter, [reports])).toThrow(message));

  it('leaves out types that the operator says nothing about', () => {
    const lists = base('lists', { 'label.year': 'keywords' });
    expect(() => checkFilter(within('label.year', { gte: 1 }), [reports, lists])).not.toThrow();
    expect(() => checkFilter(within('label.year', { gte: 'new' }), [reports, lists])).toThrow(/expected a decimal number [^,]* for label/);
    expect(() => checkFilter({ prefix: { field: 'label.year', value: 'n' } }, [reports, lists])).not.toThrow();
    const of = (knowledgeBase: string) => found(within('label.year', { gte: 1 }), [reports, lists], { knowledgeBase, 'label.year': '2' });
    expect([of('reports'), of('lists')]).toEqual([true, false]);
  });

  it('accepts a value that fits one of several declared types', () => {
    expect(() => checkFilter({ eq: { field: 'label.year', value: '2026-02-02' } }, [reports, letters])).not.toThrow();
    expect(() => checkFilter({ eq: { field: 'label.year', value: 'new' } }, [reports, letters])).toThrow(/declared as number or date/);
  });
});

describe('needsDeclarations', () => {
  it('is true of labels and metadata only', () => {
    expect(needsDeclarations({ and: [{ exists: { field: 'title' } }, { exists: { field: 'label.a' } }] })).toBe(true);
    expect(needsDeclarations({ exists: { field: 'source' } })).toBe(false);
  });
});
