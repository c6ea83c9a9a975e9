import fc from 'fast-check';

import { textBatches } from './text-batches.ts';

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
