import fc from 'fast-check';
import { beginOfRange, DOCUMENT_RANGES, MAX_DOCUMENT_RANGES, rangeOf, rangesFor, rangesOf } from './document-range.ts';
import { documentId } from './ids.ts';

describe('the ranges of documents', () => {
  const ids = fc.stringMatching(/^[0-9a-f]{32}$/).map((raw) => documentId(raw));
  const counts = fc.nat(10_000_000).map(rangesFor);

  it('contain every id once: it follows the beginning of its range, and precedes the next one', () =>
    fc.assert(
      fc.property(ids, counts, (id, count) => {
        const range = rangeOf(id, count);
        expect(rangesOf(count)).toContain(range);
        expect(id > (beginOfRange(range, count) ?? '')).toBe(true);
        if (range + 1 < count) expect(id <= (beginOfRange(range + 1, count) ?? '')).toBe(true);
      }),
    ));

  it('begin behind the last id of the range before', () => {
    expect(beginOfRange(0)).toBeUndefined();
    expect(beginOfRange(1)).toBe(`0${'f'.repeat(31)}`);
    expect(beginOfRange(1, 64)).toBe(`03${'f'.repeat(30)}`);
    expect(rangeOf(documentId('f'.repeat(32)))).toBe(DOCUMENT_RANGES - 1);
  });

  it.each([
    [0, 16],
    [6_399, 16],
    [6_400, 32],
    [51_200, 256],
    [10_000_000, MAX_DOCUMENT_RANGES],
  ])('of %s chunks are %s', (chunks, expected) => expect(rangesFor(chunks)).toBe(expected));
});
