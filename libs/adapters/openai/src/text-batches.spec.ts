import fc from 'fast-check';

import { truncateText, textBatches } from './text-batches.ts';

describe('batches', () => {
  it('contain all texts in order, within the limits', () => {
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

describe('a truncated text', () => {
  it('is a beginning of the text, within the limit, and well-formed if the text is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 12 }), (text, maxChars) => {
        const result = truncateText(text, maxChars);
        expect(text.startsWith(result.text)).toBe(true);
        expect(result.text.length).toBeLessThanOrEqual(maxChars);
        expect(result.text).not.toMatch(/\p{Surrogate}/u);
        expect(result.truncated).toBe(result.text !== text);
      }),
    );
  });
});
