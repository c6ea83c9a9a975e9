import type { z } from 'zod';

type Issue = z.core.$ZodRawIssue;
type Sized = Extract<Issue, { code: 'too_small' | 'too_big' }>;

const KINDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  bigint: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  record: 'an object',
  map: 'an object',
  set: 'a list',
  null: 'null',
  undefined: 'nothing',
  never: 'no value',
  date: 'a date',
  nan: 'a number',
  function: 'a function',
  symbol: 'a symbol',
  void: 'nothing',
};

const FORMATS: Readonly<Record<string, string>> = {
  datetime: 'a time like 2026-01-31T12:00:00Z',
  date: 'a date like 2026-01-31',
  url: 'a URL',
  uuid: 'a UUID',
  guid: 'a UUID',
  email: 'an email address',
  base64: 'a Base64 string',
  base64url: 'a URL-safe Base64 string',
  json_string: 'JSON',
};

const quoted = (value: unknown): string => (typeof value === 'string' ? `"${value}"` : String(value));

const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

const sizeOf = (issue: Sized, word: 'at least' | 'at most', limit: number, inclusive: boolean): string => {
  const { origin } = issue;
  if (origin === 'string') return `a string of ${word} ${counted(limit, 'character')}`;
  if (origin === 'array' || origin === 'set') return `a list of ${word} ${counted(limit, 'item')}`;
  if (origin === 'object' || origin === 'record' || origin === 'map') return `an object of ${word} ${counted(limit, 'field')}`;
  const kind = origin === 'int' || origin === 'bigint' ? 'a whole number' : 'a number';
  if (inclusive) return `${kind} of ${word} ${limit}`;
  return `${kind} ${word === 'at least' ? 'greater' : 'less'} than ${limit}`;
};

/** Describes the expected value, to follow the word "expected". Built from the parts of an issue, never from the messages of Zod. */
export const expectedOf = (issue: Issue): string => {
  switch (issue.code) {
    case 'invalid_type':
      return KINDS[issue.expected] ?? issue.expected;
    case 'too_small':
      return sizeOf(issue, 'at least', Number(issue.minimum), issue.inclusive ?? true);
    case 'too_big':
      return sizeOf(issue, 'at most', Number(issue.maximum), issue.inclusive ?? true);
    case 'invalid_value':
      return issue.values.length === 1 ? quoted(issue.values[0]) : `one of ${issue.values.map(quoted).join(', ')}`;
    case 'invalid_format':
      return issue.format === 'regex' && issue.pattern !== undefined
        ? `a string that matches ${issue.pattern}`
        : (FORMATS[issue.format] ?? `a string in the format ${issue.format}`);
    case 'not_multiple_of':
      return `a multiple of ${issue.divisor}`;
    default:
      return 'a valid value';
  }
};
