import fc from 'fast-check';
import { beginOfRange, DOCUMENT_RANGES, rangeOf } from './document-range.ts';
import { documentId } from './ids.ts';

describe('the ranges of documents', () => {
  const ids = fc.stringMatching(/^[0-9a-f]{32}$/).map((raw) => documentId(raw));

  it('contain every id once: it follows the beginning of its range, and precedes the next one', () =>
    fc.assert(
      fc.property(ids, (id) => {
        const range = rangeOf(id);
        expect(id > (beginOfRange(range) ?? '')).toBe(true);
        if (range + 1 < DOCUMENT_RANGES) expect(id <= (beginOfRange(range + 1) ?? '')).toBe(true);
      }),
    ));

  it('begin behind the last id of the range before', () => {
    expect(beginOfRange(0)).toBeUndefined();
    expect(beginOfRange(1)).toBe(`0${'f'.repeat(31)}`);
    expect(rangeOf(documentId('f'.repeat(32)))).toBe(DOCUMENT_RANGES - 1);
  });
});
