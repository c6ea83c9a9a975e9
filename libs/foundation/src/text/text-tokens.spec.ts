import fc from 'fast-check';
import { runToCompletion } from '../concurrency/run-cooperatively.ts';
import { LONGEST_TOKEN, TextTokens } from './text-tokens.ts';

const words = (text: string): number => text.match(/\S+/gu)?.length ?? 0;
const characters = (text: string): number => text.replace(/\s/gu, '').length;
const measured = (text: string, count: (text: string) => number) => runToCompletion(TextTokens.of(text, { count }));
const prose = fc
  .array(fc.oneof(fc.constantFrom(' ', '\n\n', '\t', ' '.repeat(40), 'x'.repeat(200), '語語'), fc.string({ maxLength: 9 })), {
    maxLength: 30,
  })
  .map((parts) => parts.join(''));
const span = (text: string) =>
  fc.tuple(fc.nat(text.length), fc.nat(text.length)).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);

describe('A text measured by its words', () => {
  it('counts at least the tokens of any part, and at least one per 16 units', () =>
    fc.assert(
      fc.property(
        prose.chain((text) => fc.tuple(fc.constant(text), span(text))),
        ([text, [start, end]]) => {
          const size = measured(text, characters).size(start, end);
          expect(size).toBeGreaterThanOrEqual(characters(text.slice(start, end)));
          expect(size).toBeGreaterThanOrEqual((end - start) / LONGEST_TOKEN);
        },
      ),
    ));

  it('counts whole words exactly', () => {
    const text = 'one two  three\nfour';
    const tokens = measured(text, words);
    expect([tokens.size(0, text.length), tokens.size(4, 7), tokens.size(4, 14), tokens.size(3, 4), tokens.size(7, 7)]).toEqual([
      4, 1, 2, 1, 0,
    ]);
    expect([tokens.advance(0, 2), tokens.advance(4, 2), tokens.advance(0, 9), tokens.back(text.length, 2), tokens.back(9, 9)]).toEqual([
      9,
      15,
      text.length,
      9,
      0,
    ]);
  });

  it('moves forward and back by at most the requested tokens, and forward by at least one unit', () =>
    fc.assert(
      fc.property(
        prose
          .filter((text) => text.length > 0)
          .chain((text) => fc.tuple(fc.constant(text), fc.nat(text.length - 1), fc.integer({ min: 1, max: 30 }))),
        ([text, at, size]) => {
          const tokens = measured(text, (part) => Math.ceil(part.length / 3));
          const end = tokens.advance(at, size);
          expect(end).toBeGreaterThan(at);
          expect(end).toBeLessThanOrEqual(text.length);
          expect(end - at).toBeLessThanOrEqual(size * LONGEST_TOKEN);
          expect(tokens.back(at, size)).toBeLessThanOrEqual(at);
        },
      ),
    ));

  it.each([
    ['a', 1_000_000],
    ['a ', 500_000],
    [' ', 1_000_000],
    ['🗼', 500_000],
    ['\u200b', 1_000_000],
    ['\ud83d', 300_000],
    ['-', 1_000_000],
  ])('processes a megabyte of %j in small steps and counts each character once', (unit, times) => {
    let counted = 0;
    const text = unit.repeat(times);
    const steps = TextTokens.of(text, { count: (part) => ((counted += part.length), 1) });
    let max = 0;
    for (let before = 0, step = steps.next(); step.done !== true; step = steps.next()) {
      max = Math.max(max, counted - before);
      before = counted;
    }
    expect(counted).toBeLessThanOrEqual(text.length);
    expect(max).toBeLessThan(50_000);
  });
});
