import fc from 'fast-check';
import { truncateText } from './truncate-text.ts';

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
