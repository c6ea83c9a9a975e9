import { describeTokenCounter } from '@palimpsest/test-kit';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { gptTokenCounter } from './gpt-token-counter.ts';

const counter = gptTokenCounter();
const MEGABYTE = 1_000_000;

describeTokenCounter('gptTokenCounter', gptTokenCounter);

describe('gptTokenCounter', () => {
  it('counts like the published encoding', () => {
    const text = 'Knowledge is kept in events; every index can be rebuilt.\n\n  indented\tand  spaced — “quoted”, 你好世界.';
    expect(counter.count(text)).toBe(encode(text).length);
    expect(counter.count('hello world')).toBe(2);
  });

  it('returns the start of each token', () => {
    expect([...counter.tokenStarts('hello world, again')]).toEqual([0, 5, 11, 12]);
  });

  it('treats the names of control tokens as plain text', () => {
    const text = 'before <|endoftext|> after';
    expect([...counter.tokenStarts(text)].length).toBe(counter.count(text));
    expect(counter.count('<|endoftext|>')).toBeGreaterThan(1);
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
