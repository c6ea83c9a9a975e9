import { InvalidValue } from '../errors.ts';
import { chunkPlace } from './chunk-place.ts';
import { chunkText, documentTitle, fileName, languageTag, mediaType, shownTitle } from './texts.ts';

describe('texts', () => {
  it.each([
    [documentTitle, '  A title ', 'A title'],
    [documentTitle, 't'.repeat(500), 't'.repeat(500)],
    [shownTitle, 's'.repeat(1_024), 's'.repeat(1_024)],
    [fileName, 'a b.pdf', 'a b.pdf'],
    [mediaType, '', ''],
    [mediaType, 'text/html; charset=utf-8', 'text/html; charset=utf-8'],
    [languageTag, 'und', 'und'],
    [languageTag, 'zh-Hant', 'zh-Hant'],
    [chunkText, 'a\n\tb', 'a\n\tb'],
  ])('are accepted unchanged, except that titles are trimmed: %p %j', (parse, raw, value) => expect(parse(raw)).toBe(value));

  it.each([
    [documentTitle, '   ', 'title'],
    [documentTitle, 't'.repeat(501), 'title'],
    [documentTitle, '\ud800', 'title'],
    [shownTitle, 't'.repeat(100_000), 'title'],
    [fileName, '../secret', 'fileName'],
    [fileName, '', 'fileName'],
    [fileName, ' \u00a0', 'fileName'],
    [shownTitle, ' ', 'title'],
    [mediaType, 'text/html\r\nx-header: 1', 'mediaType'],
    [mediaType, 'x'.repeat(201), 'mediaType'],
    [languageTag, '../x', 'language'],
    [languageTag, 'english', 'language'],
    [languageTag, `en${'-abcdefgh'.repeat(4)}`, 'language'],
    [languageTag, `en-${'x'.repeat(100_000)}`, 'language'],
    [languageTag, 7, 'language'],
    [chunkText, '', 'text'],
    [chunkText, ' \n ', 'text'],
    [chunkText, 'a\u0000', 'text'],
    [chunkText, 'x'.repeat(500_001), 'text'],
  ])('are rejected with the field: %p %j', (parse, raw, field) => {
    expect(() => parse(raw)).toThrow(InvalidValue);
    expect(() => parse(raw)).toThrow(new RegExp(`^${field}: expected`));
  });
});

describe('the place of a chunk', () => {
  const place = { start: 10, end: 15, fromLine: 2, toLine: 3, page: 2 };
  it('fits its text', () => expect(chunkPlace(place, 'a\nbcd')).toBe(place));
  it.each([
    ['end', { ...place, end: 16 }],
    ['toLine', { ...place, toLine: 1 }],
    ['toLine', { ...place, toLine: 1e9 }],
    ['start', { ...place, start: 2, end: 7 }],
    ['fromLine', { ...place, start: 12, end: 17, fromLine: 1 }],
    ['page', { ...place, start: 12, end: 17, page: 1 }],
  ])('is rejected with the field: %s', (field, wrong) =>
    expect(() => chunkPlace(wrong, 'a\nbcd', place)).toThrow(new RegExp(`^${field}: expected`)),
  );
});
