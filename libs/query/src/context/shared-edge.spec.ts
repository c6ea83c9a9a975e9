import fc from 'fast-check';
import { sharedEdge } from './shared-edge.ts';

describe('What two texts share at their edge', () => {
  it('is the longest end of one that the other begins with', () =>
    expect(sharedEdge('a b c, repeated words', 'repeated words, d e')).toBe('repeated words'.length));
  it('is nothing when only a few characters agree', () => expect(sharedEdge('the end', 'end of it')).toBe(0));
  it('is all of a text that is repeated', () => expect(sharedEdge('aaaaaaaaaaaaaaaa', 'aaaaaaaaaaaaaaaa')).toBe(16));
  it('is what trying every length finds', () =>
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
