import { file, indexed, kind, refused, refusedAs, type HostileKind } from './hostile-kind.ts';

const LAMP = 'The lamp burns oil, and the keeper writes every passing ship into a book.';
const bytes = (...list: (number | string | Buffer)[]): Buffer =>
  Buffer.concat(list.map((item) => (typeof item === 'number' ? Buffer.from([item]) : Buffer.from(item as string))));
const text = (content: Buffer | string) => () => file('encoded.txt', typeof content === 'string' ? Buffer.from(content) : content);
const swapped = (buffer: Buffer): Buffer => Buffer.from(buffer).swap16();
const utf32 = (value: string, big: boolean): Buffer =>
  Buffer.concat(
    [...value].map((character) => {
      const unit = Buffer.alloc(4);
      if (big) unit.writeUInt32BE(character.codePointAt(0) ?? 0);
      else unit.writeUInt32LE(character.codePointAt(0) ?? 0);
      return unit;
    }),
  );
const UTF16 = Buffer.from(LAMP, 'utf16le');
const GUESSED = { warning: /not UTF-8/ };
const SOUND = { without: /\p{Surrogate}|\0/u };

export const ENCODING_KINDS: readonly HostileKind[] = [
  kind('utf-8 with a byte order mark', text(bytes(0xef, 0xbb, 0xbf, LAMP)), indexed(/^The lamp/)),
  kind(
    'utf-8 with three byte order marks, one in the middle',
    text(`\uFEFF\uFEFF${LAMP}\uFEFF`),
    indexed(/^The lamp/, { without: /\uFEFF/ }),
  ),
  kind('utf-16 little endian with its mark', text(bytes(0xff, 0xfe, UTF16)), indexed(/^The lamp/, SOUND)),
  kind('utf-16 big endian with its mark', text(bytes(0xfe, 0xff, swapped(UTF16))), indexed(/^The lamp/, SOUND)),
  kind('utf-16 little endian without a mark', text(UTF16), indexed(/^The lamp/, SOUND)),
  kind('utf-16 big endian without a mark', text(swapped(UTF16)), indexed(/^The lamp/, SOUND)),
  kind('utf-16 with an extra byte', text(bytes(0xff, 0xfe, UTF16, 0x41)), indexed(/^The lamp/, SOUND)),
  kind('utf-16 with lone surrogates', text(bytes(0xff, 0xfe, UTF16, 0x00, 0xd8, UTF16)), indexed(/book\.\uFFFD/, SOUND)),
  kind(
    'utf-16 with its surrogates the wrong way round',
    text(bytes(0xff, 0xfe, UTF16, 0x00, 0xdc, 0x00, 0xd8)),
    indexed(/^The lamp/, SOUND),
  ),
  kind('utf-16 with the mark of the other byte order', text(bytes(0xfe, 0xff, UTF16)), indexed(/./, SOUND)),
  kind('utf-32 little endian with its mark', text(bytes(0xff, 0xfe, 0, 0, utf32(LAMP, false))), indexed(/^The lamp/, SOUND)),
  kind('utf-32 big endian with its mark', text(bytes(0, 0, 0xfe, 0xff, utf32(LAMP, true))), indexed(/^The lamp/, SOUND)),
  kind('utf-32 little endian without a mark', text(utf32(LAMP, false)), refused('unsupported')),
  kind(
    'utf-32 with numbers beyond Unicode',
    text(bytes(0xff, 0xfe, 0, 0, utf32(LAMP, false), 0xff, 0xff, 0xff, 0x7f)),
    indexed(/^The lamp/, SOUND),
  ),
  kind('utf-8 with overlong encodings', text(bytes(LAMP, 0xc0, 0xaf, 0xe0, 0x80, 0xaf, LAMP)), indexed(/lamp burns/, GUESSED)),
  kind(
    'utf-8 of surrogates (CESU-8)',
    text(bytes(LAMP, 0xed, 0xa0, 0x80, 0xed, 0xb0, 0x80, LAMP)),
    indexed(/lamp burns/, { ...GUESSED, ...SOUND }),
  ),
  kind('utf-8 that is cut in a character', text(bytes(LAMP, 0xe2, 0x82)), indexed(/lamp burns/, GUESSED)),
  kind('utf-8 with continuation bytes only', text(bytes(LAMP, Buffer.alloc(2_000, 0x80), LAMP)), indexed(/lamp burns/, GUESSED)),
  kind('utf-8 beyond Unicode', text(bytes(LAMP, 0xf4, 0x90, 0x80, 0x80, 0xf8, 0x88, 0x80, 0x80, 0x80)), indexed(/lamp burns/, GUESSED)),
  kind('utf-7, kept unchanged', text('+ADw-script+AD4-alert(1)+ADw-/script+AD4-'), indexed(/\+ADw-/)),
  kind(
    'half utf-8, half Latin-1',
    text(bytes('Größe und Flagge. ', Buffer.from('Größe und Flagge, täglich.', 'latin1'))),
    indexed(/und Flagge/, GUESSED),
  ),
  kind('half utf-8, half utf-16', text(bytes(LAMP.repeat(4), UTF16)), refused('unsupported')),
  kind('a NUL byte in a text', text(bytes(LAMP, 0, LAMP)), refused('unsupported')),
  kind(
    'a character set that is named wrongly',
    () => file('page.html', bytes('<html><meta charset="utf-16">', LAMP, 0xe9)),
    indexed(/lamp burns/, GUESSED),
  ),
  kind(
    'a character set that does not exist',
    () => file('page.html', bytes('<html><meta charset="evil-8"><p>', LAMP, 0xe9)),
    indexed(/lamp burns/, GUESSED),
  ),
  kind(
    'control characters, few enough for a text',
    text(`${LAMP}\u0001\u0007\u001B[31m${LAMP}`),
    indexed(/lamp burns/, { without: /(?!\n)\p{Cc}/u }),
  ),
  kind('control characters, too many for a text', text(LAMP + '\u0001\u0002'.repeat(100)), refused('unsupported')),
  kind('C1 control characters', text(`${LAMP}\u0080\u009B31m\u0085${LAMP}`), indexed(/lamp burns/, { without: /[\u0080-\u009F]/ })),
  kind('line ends of every kind', text(`one\r\ntwo\rthree\u2028four\u2029five\u0085six`), indexed(/^one\ntwo\nthree\nfour\nfive\nsix$/)),
  kind('noncharacters', text(`${LAMP}\uFFFE\uFFFF\uFDD0`), indexed(/lamp burns/, { without: /[\uFFFE\uFFFF\uFDD0]/ })),
  kind('blanks only', text(' \t\n\u00A0\u3000'.repeat(1_000)), refused('empty')),
  kind('nothing that can be seen', text('\u200B\u2060\u00AD\u{E0041}'.repeat(1_000)), refused('empty')),
  kind('one character', text('a'), indexed(/^a$/)),
  kind('no bytes at all', text(''), refused('empty')),
  kind('zeros only', text(Buffer.alloc(100_000)), refusedAs('unsupported')),
];
