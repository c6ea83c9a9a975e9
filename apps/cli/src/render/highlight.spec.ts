import fc from 'fast-check';
import { cut, highlight } from './highlight.ts';

const mark = (part: string): string => `<${part}>`;

describe('Highlights', () => {
  it('are marked in order, with overlaps merged', () => {
    expect(
      highlight(
        'The moon pulls',
        [
          [9, 14],
          [4, 8],
          [6, 8],
        ],
        mark,
      ),
    ).toBe('The <moon> <pulls>');
  });

  it('never change the text, whatever the spans are', () => {
    const spans = fc.array(fc.tuple(fc.integer({ min: -5, max: 30 }), fc.integer({ min: -5, max: 30 })));
    fc.assert(fc.property(fc.stringMatching(/^[a-z ]{0,20}$/), spans, (text, given) => highlight(text, given, (part) => part) === text));
  });

  it('are printed in one line', () => {
    expect(highlight('a\n  b', [], mark)).toBe('a b');
  });
});

describe('A truncated text', () => {
  it('has the maximum width and ends with an ellipsis', () => {
    expect([cut('abc', 3), cut('abcd', 3)]).toEqual(['abc', 'ab…']);
  });
});
