import iconv from 'iconv-lite';
import fc from 'fast-check';
import { decodeText, looksBinary } from './decode-text.ts';

describe('decodeText', () => {
  it('decodes UTF-8 without a warning', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.stringMatching(/^[\p{L}\p{N} .,\n]$/u) }), (text) => {
        expect(decodeText(Buffer.from(text))).toEqual({ text, warnings: [] });
      }),
    );
  });

  it.each(['utf-16le', 'utf-16be', 'utf-32le', 'utf-32be'])('detects %s by its byte order mark', (charset) => {
    const text = 'Schiff über Grund';
    expect(decodeText(iconv.encode(text, charset, { addBOM: true }))).toEqual({ text, warnings: [] });
  });

  it('detects UTF-16 without a mark by its zero bytes', () => {
    const text = 'Every passing ship is written into a book.';
    expect(decodeText(Buffer.from(text, 'utf16le')).text).toBe(text);
    expect(decodeText(iconv.encode(text, 'utf-16be')).text).toBe(text);
  });

  it('uses the declared character set', () => {
    const bytes = iconv.encode('Привет, море', 'windows-1251');
    expect(decodeText(bytes, 'text/plain; charset=windows-1251')).toEqual({
      text: 'Привет, море',
      warnings: ['The text is not UTF-8; it was decoded as windows-1251, which the file declares.'],
    });
    expect(decodeText(Buffer.concat([Buffer.from('<meta charset="windows-1251">'), bytes])).text).toContain('Привет');
  });

  it.each([
    ['shift_jis', '灯台守はすべての船を帳面に書き留める。海で起きたことは忘れられない。'],
    ['windows-1251', 'Смотритель маяка записывает каждый проходящий корабль в книгу.'],
    ['iso-2022-jp', '灯台守はすべての船を帳面に書き留める。'],
  ])('guesses %s', (charset, text) => {
    const bytes = charset === 'iso-2022-jp' ? Buffer.from('1b2442456142653c691b2842', 'hex') : iconv.encode(text, charset);
    const decoded = decodeText(bytes);
    expect(decoded.warnings).toEqual([expect.stringContaining('which is a guess')]);
    if (charset !== 'iso-2022-jp') expect(decoded.text).toBe(text);
  });

  it('distinguishes binary data from text', () => {
    expect(looksBinary(Buffer.from('BM25 and MZ are words\tof text\n'))).toBe(false);
    expect(looksBinary(Buffer.from([1, 2, 3, 4, 5, 6, 7, 8]))).toBe(true);
    expect(() => decodeText(Buffer.from('text\0with zero'))).toThrow('The file contains binary data, not text.');
  });
});
