import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { MultisetDigest } from './multiset-digest.ts';

const digestOf = (elements: readonly string[]): MultisetDigest => {
  const digest = new MultisetDigest();
  for (const element of elements) digest.add(element);
  return digest;
};
const textOf = (elements: readonly string[]): string => MultisetDigest.ofAll([digestOf(elements)]);
const elements = fc.array(fc.string(), { maxLength: 12 });

describe('The digest of a multiset', () => {
  it('is 0 for no elements, and the SHA-256 of a single one', () => {
    expect(textOf([])).toBe('0'.repeat(64));
    expect(textOf(['a'])).toBe(createHash('sha256').update('a').digest('hex'));
  });

  it('does not depend on the order', () =>
    fc.assert(
      fc.property(
        elements.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
        ([all, shuffled]) => expect(textOf(shuffled)).toBe(textOf(all)),
      ),
    ));

  it('after additions and removals is that of what is left', () =>
    fc.assert(
      fc.property(elements, elements, (kept, removed) => {
        const digest = digestOf([...removed, ...kept]);
        for (const element of removed) digest.remove(element);
        expect(MultisetDigest.ofAll([digest])).toBe(textOf(kept));
      }),
    ));

  it('is that of all parts together, however the elements are split', () =>
    fc.assert(
      fc.property(elements, elements, (one, other) =>
        expect(MultisetDigest.ofAll([digestOf(one), digestOf(other)])).toBe(textOf([...one, ...other])),
      ),
    ));

  it('differs for different multisets, also if an element occurs more often', () =>
    fc.assert(
      fc.property(elements, elements, (one, other) =>
        expect(textOf(one) === textOf(other)).toBe(JSON.stringify([...one].sort()) === JSON.stringify([...other].sort())),
      ),
    ));
});
