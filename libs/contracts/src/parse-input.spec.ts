import { z } from 'zod';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { parseInput } from './parse-input.ts';
import { wire } from './schemas/values.ts';

const schema = z.strictObject({
  query: z.string(),
  topK: z.number().int().min(1).max(100).default(10),
  tags: z.array(z.object({ name: z.string() })).default([]),
  scope: wire.scope.optional(),
});
const refusal = (raw: unknown): InvalidValue => {
  try {
    parseInput(schema, raw);
  } catch (error) {
    if (error instanceof InvalidValue) return error;
  }
  throw new Error('it was accepted');
};

describe('Untrusted input', () => {
  it('gets defaults', () => expect(parseInput(schema, { query: 'x' })).toEqual({ query: 'x', topK: 10, tags: [] }));
  it('is rejected with the invalid field, the expected value and the given value', () => {
    expect(refusal({ query: 7 })).toMatchObject({ field: 'query', expected: 'a string', message: 'query: expected a string, got 7' });
    expect(refusal({ query: 'x', topK: 0 })).toMatchObject({ field: 'topK', expected: expect.stringContaining('1') });
    expect(refusal({ query: 'x', tags: [{ name: 'a' }, { name: 3 }] })).toMatchObject({ field: 'tags[1].name' });
  });
  it('reports a misspelt field before the missing one', () =>
    expect(refusal({ qery: 'x' })).toMatchObject({ field: 'qery', expected: 'a known field' }));
  it('is rejected with what the domain expects', () =>
    expect(refusal({ query: 'x', scope: 'everyone' })).toMatchObject({ field: 'scope', expected: expect.stringContaining('team:<id>') }));
  it('need not be an object', () => {
    for (const raw of [undefined, null, 'text', 3, []]) expect(refusal(raw).field).toBe('body');
  });
  it('is rejected with the given prefix before the path', () => {
    const refusedAt = (raw: unknown) => {
      try {
        return parseInput(schema, raw, 'documents[3]');
      } catch (error) {
        return (error as InvalidValue).field;
      }
    };
    expect([{ query: 'x', tags: [{ name: 3 }] }, 7, { query: 'x', nope: 1 }].map(refusedAt)).toEqual([
      'documents[3].tags[0].name',
      'documents[3]',
      'documents[3].nope',
    ]);
  });
});

describe('Input of one of several forms', () => {
  const range = z.object({ between: z.object({ from: z.number(), to: z.number() }) });
  const forms = z.object({ when: z.union([z.object({ at: z.string() }), range, z.literal('never')]) });
  const refusalOf = (when: unknown): string => {
    try {
      parseInput(forms, { when });
    } catch (error) {
      return (error as Error).message;
    }
    throw new Error('it was accepted');
  };

  it('is accepted in each form', () => {
    for (const when of [{ at: 'noon' }, { between: { from: 1, to: 2 } }, 'never']) expect(parseInput(forms, { when })).toEqual({ when });
  });
  it('is rejected with the error of the form that matches furthest', () =>
    expect(refusalOf({ between: { from: 1, to: 'late' } })).toBe('when.between.to: expected a number, got "late"'));
  it('is rejected with all forms in one sentence if none matches further than the others', () =>
    expect(refusalOf({ on: 'monday' })).toBe('when: expected at: a string, or between: an object, got {"on":"monday"}'));
});

describe('What was expected', () => {
  const many: readonly (readonly [schema: z.ZodType, raw: unknown, expected: string])[] = [
    [z.string(), 1, 'a string'],
    [z.number(), '1', 'a number'],
    [z.number().int(), 1.5, 'a whole number'],
    [z.boolean(), 'true', 'true or false'],
    [z.object({}), null, 'an object'],
    [z.array(z.string()), {}, 'a list'],
    [z.record(z.string(), z.string()), [], 'an object'],
    [z.enum(['a', 'b']), 'c', 'one of "a", "b"'],
    [z.literal('a'), 'b', '"a"'],
    [z.literal(1), 2, '1'],
    [z.null(), 1, 'null'],
    [z.string().min(2), 'x', 'a string of at least 2 characters'],
    [z.string().min(1), '', 'a string of at least 1 character'],
    [z.string().max(2), 'xxx', 'a string of at most 2 characters'],
    [z.array(z.string()).min(1), [], 'a list of at least 1 item'],
    [z.array(z.string()).max(2), ['', '', ''], 'a list of at most 2 items'],
    [z.number().min(1), 0, 'a number of at least 1'],
    [z.number().max(1), 2, 'a number of at most 1'],
    [z.number().int().min(1), 0, 'a number of at least 1'],
    [z.number().gt(0), 0, 'a number greater than 0'],
    [z.number().lt(0), 0, 'a number less than 0'],
    [z.number(), Infinity, 'a number'],
    [z.int(), 2 ** 60, 'a whole number of at most 9007199254740991'],
    [z.iso.datetime(), 'noon', 'a time like 2026-01-31T12:00:00Z'],
    [z.url(), 'x', 'a URL'],
    [z.uuid(), 'x', 'a UUID'],
    [z.base64(), '%', 'a Base64 string'],
    [z.string().regex(/^a$/), 'b', 'a string that matches /^a$/'],
    [z.coerce.number().int().min(1), 'many', 'a number'],
    [z.union([z.string(), z.number()]), true, 'a string, or a number'],
    [z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') })]), { kind: 'b' }, 'a valid value'],
    [z.record(z.enum(['a']), z.string()), { b: 'x' }, 'a known field'],
    [z.record(z.string().regex(/^a/, 'expected a name with an a'), z.string()), { b: 'x' }, 'a name with an a'],
    [z.number().multipleOf(5), 3, 'a multiple of 5'],
    [z.string().refine(() => false, 'expected some text'), 'x', 'some text'],
    [z.string().refine(() => false), 'x', 'a valid value'],
    [z.tuple([z.string()]), ['a', 'b'], 'a list of at most 1 item'],
    [z.never(), 1, 'no value'],
  ];

  it.each(many)('is described in our own words for every schema (%#)', (schema, raw, expected) => {
    const refused = (wrapped: z.ZodType, value: unknown): InvalidValue => {
      try {
        parseInput(wrapped, value);
      } catch (error) {
        return error as InvalidValue;
      }
      throw new Error('it was accepted');
    };
    const alone = refused(schema, raw);
    expect(alone.expected).toBe(expected);
    for (const { message } of [
      alone,
      refused(z.object({ field: schema }), { field: raw }),
      refused(z.array(schema), [raw]),
      refused(z.object({}), raw === null ? undefined : 5),
    ])
      expect(message).not.toMatch(/Invalid|received|expected expected|expected (?:string|number|object)\b/);
  });
});
