import fc from 'fast-check';

import { cutText, textBatches } from './text-batches.ts';

describe('batches', () => {
  it('hold all texts in order, and no more than allowed', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 40 }), (texts, maxTexts, maxChars) => {
        const batches = textBatches(texts, maxTexts, maxChars);
        expect(batches.flat()).toEqual(texts);
        for (const batch of batches) {
          expect(batch.length >= 1 && batch.length <= maxTexts).toBe(true);
          expect(batch.length === 1 || batch.join('').length <= maxChars).toBe(true);
        }
      }),
    );
  });
});

describe('a cut text', () => {
  it('is a beginning of the text, within the limit, and well-formed when the text is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 12 }), (text, maxChars) => {
        const cut = cutText(text, maxChars);
        expect(text.startsWith(cut.text)).toBe(true);
        expect(cut.text.length).toBeLessThanOrEqual(maxChars);
        expect(cut.text).not.toMatch(/\p{Surrogate}/u);
        expect(cut.truncated).toBe(cut.text !== text);
      }),
    );
  });
});
