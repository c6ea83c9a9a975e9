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
});
