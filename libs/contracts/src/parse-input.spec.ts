import { z } from 'zod';
import { InvalidValue } from '@palimpsest/knowledge';
import { parseInput } from './parse-input.ts';
import { wire } from './schemas/values.ts';

const schema = z.strictObject({ query: z.string(), topK: z.number().int().min(1).max(100).default(10), tags: z.array(z.object({ name: z.string() })).default([]), scope: wire.scope.optional() });
const refusal = (raw: unknown): InvalidValue => {
  try {
    parseInput(schema, raw);
  } catch (error) {
    if (error instanceof InvalidValue) return error;
  }
  throw new Error('it was accepted');
};

describe('Untrusted input', () => {
  it('gets its defaults', () => expect(parseInput(schema, { query: 'x' })).toEqual({ query: 'x', topK: 10, tags: [] }));
  it('is refused by the field that is wrong, what was expected, and what came', () => {
    expect(refusal({ query: 7 })).toMatchObject({ field: 'query', expected: 'string', message: 'query: expected string, got 7' });
    expect(refusal({ query: 'x', topK: 0 })).toMatchObject({ field: 'topK', expected: expect.stringContaining('1') });
    expect(refusal({ query: 'x', tags: [{ name: 'a' }, { name: 3 }] })).toMatchObject({ field: 'tags[1].name' });
  });
  it('names a misspelt field before the one that is then missing', () => expect(refusal({ qery: 'x' })).toMatchObject({ field: 'qery', expected: 'no such field' }));
  it('is told what the domain expects of a value', () => expect(refusal({ query: 'x', scope: 'everyone' })).toMatchObject({ field: 'scope', expected: expect.stringContaining('team:<id>') }));
  it('may be no object at all', () => {
    for (const raw of [undefined, null, 'text', 3, []]) expect(refusal(raw).field).toBe('body');
  });
  it('is told with the place before the path', () => {
    const refusedAt = (raw: unknown) => {
      try {
        return parseInput(schema, raw, 'documents[3]');
      } catch (error) {
        return (error as InvalidValue).field;
      }
    };
    expect([{ query: 'x', tags: [{ name: 3 }] }, 7, { query: 'x', nope: 1 }].map(refusedAt)).toEqual(['documents[3].tags[0].name', 'documents[3]', 'documents[3].nope']);
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

  it('is taken in each of them', () => {
    for (const when of [{ at: 'noon' }, { between: { from: 1, to: 2 } }, 'never']) expect(parseInput(forms, { when })).toEqual({ when });
  });
  it('is refused by what is wrong with the form that fits furthest', () =>
    expect(refusalOf({ between: { from: 1, to: 'late' } })).toBe('when.between.to: expected number, got "late"'));
  it('is refused with all forms in one readable sentence when none fits any further than the others', () =>
    expect(refusalOf({ on: 'monday' })).toBe('when: expected at: string, or between: object, got {"on":"monday"}'));
});
