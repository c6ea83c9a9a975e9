import { anyText } from '@palimpsest/test-kit';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import fc from 'fast-check';
import { gptTokenCounter } from './gpt-token-counter.ts';

const counter = gptTokenCounter();
const MEGABYTE = 1_000_000;

describe('gptTokenCounter', () => {
  it('counts like the published encoding', () => {
    const text = 'Knowledge is kept in events; every index can be rebuilt.\n\n  indented\tand  spaced — “quoted”, 你好世界.';
    expect(counter.count(text)).toBe(encode(text).length);
    expect(counter.count('hello world')).toBe(2);
    expect(counter.count('')).toBe(0);
    expect([...counter.tokenStarts('')]).toEqual([]);
  });

  it('returns the start of each token', () => {
    expect([...counter.tokenStarts('hello world, again')]).toEqual([0, 5, 11, 12]);
  });

  it('treats the names of control tokens as plain text', () => {
    const text = 'before <|endoftext|> after';
    expect([...counter.tokenStarts(text)].length).toBe(counter.count(text));
    expect(counter.count('<|endoftext|>')).toBeGreaterThan(1);
  });

  it('returns ascending offsets, the first 0, none inside a surrogate pair, for any text', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 400 }), (text) => {
        const starts = [...counter.tokenStarts(text)];
        const insidePair = (at: number): boolean => /[\uDC00-\uDFFF]/.test(text[at] ?? '') && /[\uD800-\uDBFF]/.test(text[at - 1] ?? '');
        const ascending = starts.every((start, index) => (index === 0 ? start === 0 : start > (starts[index - 1] ?? 0)));
        return ascending && starts.every((start) => start < text.length && !insidePair(start)) && starts.length <= counter.count(text);
      }),
    );
  });

  it('has as many starts as tokens in ASCII text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary-ascii', maxLength: 2_000 }),
        (text) => [...counter.tokenStarts(text)].length === counter.count(text),
      ),
    );
  });

  it.each([
    ['one letter', 'a'.repeat(MEGABYTE)],
    ['spaces', ' '.repeat(MEGABYTE)],
    ['spaces and tabs before a line end', `${' \t'.repeat(MEGABYTE / 2)}\n`],
    ['line ends', '\r\n'.repeat(MEGABYTE / 2)],
    ['signs', '-'.repeat(MEGABYTE)],
    [
      'letters without a pattern',
      Array.from({ length: MEGABYTE / 10 }, (_, i) => String.fromCharCode(97 + ((i * i + (i >> 3)) % 26))).join(''),
    ],
    ['emoji', '😀'.repeat(MEGABYTE / 10)],
    ['repeated control tokens', '<|endoftext|>'.repeat(MEGABYTE / 20)],
  ])('terminates on a long run of %s', (_name, text) => {
    const starts = [...counter.tokenStarts(text)];
    expect(starts.length).toBeGreaterThan(0);
    expect(starts.at(-1)).toBeLessThan(text.length);
  });
});
