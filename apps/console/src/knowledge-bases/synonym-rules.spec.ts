import { ProblemError } from '@palimpsest/client';
import { rulesIn, rulesProblem, rulesText } from './synonym-rules.ts';

const FILE = '# sign-in\n\n sso, single sign-on \r\n  # systems\nk8s =>\n';

describe('the synonyms of a knowledge base as text', () => {
  it('have a line for each rule', () => {
    expect(rulesText(['a, b', 'c => d'])).toBe('a, b\nc => d');
    expect(rulesText(undefined)).toBe('');
  });
  it('are read without empty lines, comments and the blanks around a rule', () => {
    expect(rulesIn(FILE)).toEqual(['sso, single sign-on', 'k8s =>']);
    expect(rulesIn(' \n')).toEqual([]);
  });
});

describe('a refused rule', () => {
  const refused = (field: string, expected?: string): ProblemError =>
    new ProblemError({ status: 400, code: 'InvalidRequest', field, ...(expected === undefined ? {} : { expected }) });

  it('is named by its line in the text', () =>
    expect(rulesProblem(FILE, refused('synonyms[1]', 'a rule such as "a, b"'))).toBe('Line 5 must be a rule such as "a, b".'));
  it('is not named where all of them are too long', () =>
    expect(rulesProblem(FILE, refused('synonyms', 'at most 500 rules'))).toBe('Must be at most 500 rules.'));
  it('is none if something else was refused', () => {
    expect(rulesProblem(FILE, refused('name', 'a name'))).toBeUndefined();
    expect(rulesProblem(FILE, new Error('offline'))).toBeUndefined();
    expect(rulesProblem(FILE, null)).toBeUndefined();
  });
});
