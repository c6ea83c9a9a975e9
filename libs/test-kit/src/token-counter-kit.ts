import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { TokenCounter } from '@palimpsest/knowledge/ports';
import { anyText } from './any-text.ts';

const ascii = fc.oneof(fc.string({ unit: 'binary-ascii', maxLength: 1_000 }), fc.lorem({ maxCount: 40 }));
/** Random characters, and texts as people write them. */
const someText = fc.oneof(anyText({ maxLength: 300 }), fc.string({ unit: 'grapheme', maxLength: 200 }), ascii);

const DIFFICULT = [
  ' ',
  '\n\n\t ',
  ' leading and trailing ',
  'a\r\nb',
  'e\u0301',
  '👩‍👩‍👧‍👦🏳️‍🌈',
  '𒀀𓂀',
  '你好世界',
  'การทดสอบ',
  '<|endoftext|>',
  '\u0000',
  '\ufeffx',
];

const startsOf = (counter: TokenCounter, text: string): readonly number[] => [...counter.tokenStarts(text)];

const expectWholeCharacters = (counter: TokenCounter, text: string): void => {
  const starts = startsOf(counter, text);
  const parts = starts.map((start, i) => text.slice(start, starts[i + 1]));
  expect(parts.join('')).toBe(text);
  for (const [i, part] of parts.entries()) {
    expect(starts[i]).toBeLessThan(text.length);
    // An empty part would be a start that does not ascend.
    expect(part).not.toBe('');
    expect(part.isWellFormed()).toBe(true);
  }
};

/** The contract of `TokenCounter`. */
export const describeTokenCounter = (name: string, open: () => TokenCounter): void =>
  describe(`${name} fulfils the contract of TokenCounter`, () => {
    const counter = open();

    it('has a name', () => expect(counter.name).not.toBe(''));

    it('finds no tokens in the empty text, and only there', () => {
      expect([counter.count(''), startsOf(counter, '')]).toEqual([0, []]);
      fc.assert(
        fc.property(someText, (text) => {
          expect(counter.count(text) > 0).toBe(text !== '');
          expect(startsOf(counter, text)[0]).toBe(text === '' ? undefined : 0);
        }),
      );
    });

    it('cuts any text into whole characters', () => fc.assert(fc.property(someText, (text) => expectWholeCharacters(counter, text))));

    it.each(DIFFICULT)('cuts %j into whole characters', (text) => expectWholeCharacters(counter, text));

    it('cuts long runs into whole characters', () => expectWholeCharacters(counter, `${'x'.repeat(5_000)} ${'😀'.repeat(1_000)}`));

    it('has as many starts as tokens in ASCII text, and never more', () => {
      fc.assert(fc.property(ascii, (text) => expect(startsOf(counter, text)).toHaveLength(counter.count(text))));
      fc.assert(fc.property(someText, (text) => expect(startsOf(counter, text).length).toBeLessThanOrEqual(counter.count(text))));
    });

    it('gives the same tokens again, also to another counter and after other texts', () => {
      const tokens = (of: TokenCounter, text: string) => [of.count(text), startsOf(of, text)];
      fc.assert(
        fc.property(someText, someText, (text, between) => {
          const first = tokens(counter, text);
          counter.count(between);
          expect([tokens(counter, text), tokens(open(), text)]).toEqual([first, first]);
        }),
      );
    });
  });
