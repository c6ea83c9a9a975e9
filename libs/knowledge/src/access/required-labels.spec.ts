import fc from 'fast-check';
import { InvalidValue } from '../errors.ts';
import { MAX_LABELS } from '../values/value-limits.ts';
import { matches } from './filter.ts';
import { conditionsOf, describeLabels, labelsFor, satisfies } from './required-labels.ts';

const name = fc.constantFrom('department', 'region', 'constructor', '__proto__', 'a.b-c');
const value = fc.constantFrom('hr', 'legal', '', 'HR', '1', 'true');
const held = fc.dictionary(name, value, { maxKeys: 3 });
const required = fc.dictionary(name, fc.array(value, { minLength: 1, maxLength: 2 }), { maxKeys: 2 });

describe('required labels', () => {
  it.each([
    [{ department: 'hr' }, { department: ['hr'] }, true],
    [{ department: 'hr' }, { department: ['legal', 'hr'] }, true],
    [{ department: 'HR' }, { department: ['hr'] }, false],
    [{ department: 'hr' }, { department: ['hr'], region: ['eu'] }, false],
    [{}, { department: [''] }, false],
    [{ department: '' }, { department: [''] }, true],
    [{}, { constructor: ['hr'] }, false],
    [{}, {}, true],
    [{}, undefined, true],
  ])('of %j, %j are satisfied: %s', (labels, by, expected) => expect(satisfies(labels, by as never)).toBe(expected));

  it('mean the same as a filter of the indexes', () =>
    fc.assert(
      fc.property(held, required, (labels, by) => {
        const attributes = Object.fromEntries(Object.entries(labels).map(([key, one]) => [`label.${key}`, one]));
        expect(matches({ and: conditionsOf(by) }, attributes)).toBe(satisfies(labels, by));
      }),
    ));

  it('are named in messages', () =>
    expect(describeLabels({ department: ['hr', 'legal'], region: ['eu'] })).toBe('department=hr|legal, region=eu'));
});

describe('the labels of a document that a caller adds', () => {
  it('stay as they are without required labels', () => {
    const given = { team: 'red' };
    expect(labelsFor(given, undefined)).toBe(given);
  });

  it('satisfy the key, or are refused, and keep what the caller gave', () =>
    fc.assert(
      fc.property(held, required, (given, by) => {
        let labels;
        try {
          labels = labelsFor(given, by);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidValue);
          return;
        }
        expect(satisfies(labels, by)).toBe(true);
        expect(labels).toMatchObject(given);
      }),
    ));

  it('get the label that is missing if only one value is allowed', () =>
    expect(labelsFor({ team: 'red' }, { department: ['hr'] })).toEqual({ department: 'hr', team: 'red' }));

  it.each([
    [{ department: 'legal' }, { department: ['hr'] }, 'labels.department: expected "hr", as the API key requires, got "legal"'],
    [{ department: '' }, { department: ['hr'] }, 'labels.department: expected "hr", as the API key requires, got ""'],
    [{}, { department: ['hr', 'legal'] }, 'labels.department: expected one of "hr", "legal", as the API key requires, got nothing'],
    [{ a: '1' }, { a: ['1'], b: ['x', 'y'] }, 'labels.b: expected one of "x", "y", as the API key requires, got nothing'],
  ])('are refused where they do not: %j for %j', (given, by, message) =>
    expect(() => labelsFor(given as never, by as never)).toThrow(message),
  );

  it('are not more than a document may have', () => {
    const full = Object.fromEntries(Array.from({ length: MAX_LABELS }, (_, n) => [`l${n}`, '']));
    expect(() => labelsFor(full, { department: ['hr'] })).toThrow(`labels: expected at most ${MAX_LABELS} labels`);
  });
});
