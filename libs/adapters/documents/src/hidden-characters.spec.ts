import { anyText } from '@palimpsest/test-kit';
import fc from 'fast-check';
import { ENCODING_KINDS } from '../test/hostile/encoding-kinds.ts';
import { UNICODE_KINDS } from '../test/hostile/unicode-kinds.ts';
import { hiddenWarning, withoutHidden } from './hidden-characters.ts';
import { parseFile } from './parse-file.ts';
import { DEFAULT_LIMITS } from './parser-limits.ts';

const TAGS = /[\u{E0000}-\u{E007F}]/u;
const OVERRIDES = /[\u202A-\u202E\u2066-\u2069]/;

describe('invisible characters', () => {
  it('are not found in an ordinary text', () => {
    const text = 'The lamp burns. Größe, ship’s 灯台, маяк, منارة, नमस्ते, 👩‍🚀 ❤️\n';
    expect(withoutHidden(text)).toMatchObject({ text, hidden: {} });
  });

  it('are removed, counted and reported', () => {
    const { text, hidden } = withoutHidden('la\u{E0041}\u{E0042}mp \u202Eburns\u202C');
    expect([text, hidden]).toEqual(['lamp burns', { tags: 2, directions: 2 }]);
    expect(hiddenWarning(hidden)).toBe('Removed invisible characters: 2 tag characters, 2 text direction characters.');
    expect(hiddenWarning({ zeroWidth: 3 })).toBeUndefined();
  });

  it('are removed from any text, and nothing else is', () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.constantFrom(
              'a',
              'é',
              ' ',
              '\n',
              '😀',
              '\u0301',
              '\u200B',
              '\u200D',
              '\u{E0041}',
              '\u202E',
              '\uFE0F',
              '\u{E0101}',
              '\u3164',
              '\u{1F3F4}',
            ),
            anyText({ maxLength: 3 }),
          ),
        ),
        (pieces) => {
          const before = pieces.join('');
          const { text, at } = withoutHidden(before);
          expect(OVERRIDES.test(text)).toBe(false);
          expect(TAGS.test(text.replaceAll(/\u{1F3F4}[\u{E0061}-\u{E007A}]{5}\u{E007F}/gu, ''))).toBe(false);
          expect(at(before.length)).toBe(text.length);
          expect(text.replaceAll(/[^a\n ]/gu, '')).toBe(before.replaceAll(/[^a\n ]/gu, ''));
          // An offset into the original text maps to the same character.
          for (let offset = 0; offset < before.length; offset++) if (before[offset] === 'a') expect(text[at(offset)]).toBe('a');
        },
      ),
    ));

  it('are removed with all offsets into the text adjusted', async () => {
    const outcome = await parseFile(
      { bytes: Buffer.from('na\u200Bme,to\u{E0041}ns\nAu\u200Brora,12\u{E0041}00\nStella,300\n'), fileName: 'ships.csv' },
      DEFAULT_LIMITS,
    );
    if (outcome.outcome !== 'parsed') throw new Error(outcome.detail);
    const {
      text,
      sheets: [sheet],
    } = outcome.document;
    expect(sheet?.header).toBe('name | tons');
    expect(sheet?.rowStarts.map((start) => text.slice(start).split('\n', 1)[0])).toEqual(['Aurora | 1200', 'Stella | 300']);
    expect(sheet?.end).toBe(text.length);
  });
});

describe.each([
  ['characters', UNICODE_KINDS],
  ['character sets', ENCODING_KINDS],
] as const)('hostile %s', (_, kinds) => {
  it.each(kinds.map((hostile) => [hostile.name, hostile] as const))('%s', async (_name, { make, expected }) => {
    const outcome = await parseFile(await make(), DEFAULT_LIMITS);
    if ('refused' in expected) {
      expect(expected.refused).toContain(outcome.outcome === 'rejected' ? outcome.reason : 'parsed');
      return;
    }
    if (outcome.outcome === 'rejected') throw new Error(`${outcome.reason}: ${outcome.detail}`);
    const { text, title = '', metadata, warnings } = outcome.document;
    expect(expected.indexed.test(text)).toBe(true);
    expect(expected.without?.test([text, title, JSON.stringify(metadata)].join('\n')) ?? false).toBe(false);
    if (expected.warning !== undefined) expect(warnings).toContainEqual(expect.stringMatching(expected.warning));
  });
});
