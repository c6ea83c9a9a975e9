import fc from 'fast-check';
import { sharedEdge } from './shared-edge.ts';

describe('The overlap of two texts', () => {
  it('is the longest suffix of one that is a prefix of the other', () =>
    expect(sharedEdge('a b c, repeated words', 'repeated words, d e')).toBe('repeated words'.length));
  it('is 0 when only a few characters match', () => expect(sharedEdge('the end', 'end of it')).toBe(0));
  it('is the whole text when it is repeated', () => expect(sharedEdge('aaaaaaaaaaaaaaaa', 'aaaaaaaaaaaaaaaa')).toBe(16));
  it('equals the result of a brute-force search', () =>
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 60 }),
        fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 60 }),
        (one, other) => {
          const lengths = Array.from({ length: Math.min(one.length, other.length) + 1 }, (_, length) => length);
          const longest = lengths.findLast((length) => one.endsWith(other.slice(0, length))) ?? 0;
          expect(sharedEdge(one, other)).toBe(longest >= 12 ? longest : 0);
        },
      ),
    ));
});
