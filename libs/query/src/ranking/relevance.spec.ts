import fc from 'fast-check';
import { relevanceOf } from './relevance.ts';

const standing = fc.double({ min: -10, max: 15, noNaN: true });
const share = fc.double({ min: 0, max: 1, noNaN: true });
const evidence = fc.oneof(fc.record({ standing, share }), fc.record({ standing }), fc.record({ share }));

describe('The relevance of a passage', () => {
  it('is a probability', () =>
    fc.assert(
      fc.property(evidence, (known) => {
        expect(relevanceOf(known)).toBeGreaterThan(0);
        expect(relevanceOf(known)).toBeLessThan(1);
      }),
    ));

  it('rises with each sign for it', () =>
    fc.assert(
      fc.property(standing, share, fc.double({ min: 0.01, max: 1, noNaN: true }), (cosine, words, more) => {
        expect(relevanceOf({ standing: cosine + more, share: words })).toBeGreaterThan(relevanceOf({ standing: cosine, share: words }));
        expect(relevanceOf({ standing: cosine, share: words + more })).toBeGreaterThan(relevanceOf({ standing: cosine, share: words }));
        expect(relevanceOf({ standing: cosine + more })).toBeGreaterThan(relevanceOf({ standing: cosine }));
        expect(relevanceOf({ share: words + more })).toBeGreaterThan(relevanceOf({ share: words }));
      }),
    ));

  it('is low for an unrelated passage, and high for one that both searches find', () => {
    for (const unrelated of [{ standing: 0, share: 0 }, { standing: 0 }, { share: 0 }]) expect(relevanceOf(unrelated)).toBeLessThan(0.03);
    expect(relevanceOf({ standing: 5, share: 0.7 })).toBeGreaterThan(0.9);
  });

  it('is 0 if nothing is known', () => expect(relevanceOf({})).toBe(0));
});
