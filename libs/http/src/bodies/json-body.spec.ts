import { Readable } from 'node:stream';
import fc from 'fast-check';
import type { InvalidValue } from '@palimpsest/knowledge/errors';
import { readJson } from './json-body.ts';

const MIB = 1024 * 1024;
/** Splits a text into pieces at arbitrary bytes. */
const inPieces = (text: string | Buffer, size = 7): Readable => {
  const bytes = Buffer.from(text as string);
  return Readable.from(Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size)));
};
const refusal = (text: string | Buffer, size?: number): Promise<unknown> =>
  readJson(inPieces(text, size), 10 * MIB).then(
    () => 'accepted',
    (error: unknown) => (error as InvalidValue).expected,
  );

describe('a JSON body', () => {
  it('is parsed like JSON.parse, whatever pieces it arrives in', () =>
    fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 1, max: 50 }), async (value, size) => {
        const text = JSON.stringify(value);
        fc.pre(!text.includes('__proto__'));
        expect(await readJson(inPieces(text, size), MIB)).toEqual(JSON.parse(text));
      }),
    ));

  it('is parsed in another thread if it is large, with the same result', async () => {
    const value = { text: 'α"\\'.repeat(200_000), labels: { a: 'b' } };
    expect(await readJson(inPieces(JSON.stringify(value), 65_536), 10 * MIB)).toEqual(value);
    const pad = ' '.repeat(300 * 1024);
    expect([
      await refusal(`{"a":${pad}}`, 65_536),
      await refusal(`{"a":1,"a":2${pad}}`, 65_536),
      await refusal(`{"__proto__":1${pad}}`, 65_536),
    ]).toEqual(['valid JSON', 'each name once in an object', 'no field "__proto__"']);
  });

  it('has at most 128 levels and 100000 values', async () => {
    const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    expect(await readJson(inPieces(nested(128)), MIB)).toBeDefined();
    expect(await refusal(nested(129))).toBe('JSON of at most 128 levels');
    expect(await refusal(`[${'1,'.repeat(100_000)}1]`, 1_000)).toBe('JSON of at most 100000 values');
    expect(await readJson(inPieces(`"${'[{,:'.repeat(50_000)}"`, 1_000), MIB)).toHaveLength(200_000);
  });

  it.each([
    ['', 'valid JSON'],
    ['{', 'valid JSON'],
    ['{"a":1,"\\u0061":2}', 'each name once in an object'],
    ['[{"b":{"__proto__":1}}]', 'no field "__proto__"'],
    [Buffer.from([0x22, 0xff, 0x22]), 'JSON in UTF-8'],
  ])('is refused for the text %j', async (text, expected) => expect(await refusal(text)).toBe(expected));

  it('is refused as soon as it is too large', async () => {
    await expect(readJson(inPieces(' '.repeat(2_000)), 1_000)).rejects.toMatchObject({
      code: 'TooLarge',
      message: 'the body must not exceed 1 KiB',
    });
  });
});
