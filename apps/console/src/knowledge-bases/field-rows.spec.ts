import { ProblemError } from '@palimpsest/client';
import { fieldsIn, fieldsProblem, repeatedNames, rowsOf, type FieldRow } from './field-rows.ts';

const YEAR: FieldRow = { name: 'label.year', type: 'number' };
const TAGS: FieldRow = { name: 'meta.tags', type: 'keywords' };

describe('declared fields', () => {
  it('have a row each', () => {
    expect(rowsOf({ 'label.year': 'number', 'meta.tags': 'keywords' })).toEqual([YEAR, TAGS]);
    expect(rowsOf(undefined)).toEqual([]);
  });
  it('are sent without blanks around their names, and as null if there are none', () => {
    expect(fieldsIn([{ ...YEAR, name: ' label.year ' }, TAGS])).toEqual({ 'label.year': 'number', 'meta.tags': 'keywords' });
    expect(fieldsIn([])).toBeNull();
  });
  it('with a repeated name are found, but rows without a name are not yet filled in', () => {
    expect(repeatedNames([YEAR, TAGS, { name: 'label.year ', type: 'date' }])).toEqual(['label.year']);
    expect(repeatedNames([YEAR, { ...TAGS, name: '' }, { ...TAGS, name: ' ' }])).toEqual([]);
  });
});

describe('refused declared fields', () => {
  const refused = (field: string): ProblemError => new ProblemError({ status: 400, code: 'InvalidValue', field, expected: 'better' });

  it('are explained, with the name of the field if the server names it', () => {
    expect(fieldsProblem(refused('fields'))).toBe('Must be better.');
    expect(fieldsProblem(refused('fields.label.year'))).toBe('label.year must be better.');
  });
  it('are none if something else was refused', () => {
    expect(fieldsProblem(refused('synonyms'))).toBeUndefined();
    expect(fieldsProblem(new Error('offline'))).toBeUndefined();
  });
});
