import { file, indexed, kind, refused, refusedAs, type HostileKind } from './hostile-kind.ts';
import { fixture, soundFile, type OfficeFormat } from './office-files.ts';

const hex = (name: string, magic: string) => () => file(name, Buffer.concat([Buffer.from(magic, 'hex'), Buffer.alloc(512)]));

/** Programs and media under the names of documents. */
const disguised: readonly HostileKind[] = (
  [
    ['a Windows program', 'report.docx', '4d5a90000300000004000000ffff0000'],
    ['a Linux program', 'report.md', '7f454c4602010100000000000000000002003e00'],
    ['a Java class', 'report.txt', 'cafebabe00000034'],
    ['a picture (PNG)', 'report.pdf', '89504e470d0a1a0a0000000d49484452'],
    ['a picture (JPEG)', 'report.html', 'ffd8ffe000104a464946'],
    ['a film (MP4)', 'report.xlsx', '000000186674797069736f6d'],
    ['a database (SQLite)', 'report.csv', '53514c69746520666f726d6174203300'],
    ['a program for WebAssembly', 'report.json', '0061736d01000000'],
    ['a font', 'report.epub', '0001000000120100'],
  ] as const
).map(([what, name, magic]) => kind(`${what} that is named ${name}`, hex(name, magic), refused('unsupported')));

const exchanged: readonly HostileKind[] = [
  kind('a PDF that is named .txt', () => file('report.txt', fixture('report.pdf')), indexed(/lamp/)),
  kind('a page that is named .pdf', () => file('page.pdf', fixture('page.html')), indexed(/lamp/i)),
  kind('a Word file without a name', () => ({ bytes: soundFile('docx') }), indexed(/lighthouse/)),
  kind(
    'a Word file declared as an image',
    () => ({ bytes: soundFile('docx'), fileName: 'a.png', mediaType: 'image/png' }),
    indexed(/lighthouse/),
  ),
  kind(
    'a text declared as a PDF',
    () => ({ bytes: Buffer.from('The lamp burns'), fileName: 'a.pdf', mediaType: 'application/pdf' }),
    indexed(/burns/),
  ),
  kind('a name of 100,000 characters', () => file(`${'a'.repeat(100_000)}.md`, '# Lamp\n\nburns'), indexed(/burns/)),
  kind(
    'a name that climbs out of its folder',
    () => file('../../../../etc/passwd', 'The lamp burns'),
    indexed(/burns/, { without: /root:/ }),
  ),
  kind('a name with control characters and a turned ending', () => file('report\u202Efdp.exe\0.txt', 'The lamp burns'), indexed(/burns/)),
  kind(
    'a media type of a megabyte',
    () => ({ bytes: Buffer.from('The lamp burns'), mediaType: `text/plain; charset=${'a'.repeat(1_000_000)}` }),
    indexed(/burns/),
  ),
  kind(
    'a page, a PDF and a zip in one',
    () => file('polyglot.html', Buffer.concat([Buffer.from('<html><p>burns %PDF-1.7\n'), soundFile('docx')])),
    refusedAs('corrupt', 'unsupported'),
  ),
  kind('one byte', () => file('a.bin', Buffer.from([0x80])), indexed(/^€$/)),
  kind(
    'more bytes than are allowed',
    () => file('large.txt', Buffer.alloc(50_000_001, 0x61)),
    refused('too-large', /^The file has 50\.0 MB; at most 50 MB is allowed\.$/),
  ),
];

const CUT: ReadonlyArray<readonly [name: string, format: OfficeFormat | undefined]> = [
  ['report.docx', 'docx'],
  ['talk.pptx', 'pptx'],
  ['ledger.xlsx', 'xlsx'],
  ['report.odt', 'odt'],
  ['ledger.ods', 'ods'],
  ['book.epub', 'epub'],
  ['report.pdf', undefined],
  ['report.doc', undefined],
  ['ledger.xls', undefined],
  ['talk.ppt', undefined],
  ['mail.msg', undefined],
];

/** Zip containers have their directory at the end, so no truncated one can be opened. Other formats give the remaining text, or none. */
const truncated: readonly HostileKind[] = CUT.flatMap(([name, format]) =>
  [1, 2, 3].map((quarters) =>
    kind(
      `${name} cut off after ${quarters} quarters`,
      () => file(name, fixture(name).subarray(0, Math.floor((fixture(name).length * quarters) / 4))),
      format === undefined ? refusedAs('corrupt', 'unsupported', 'empty') : refused('corrupt'),
    ),
  ),
);

export const TYPE_KINDS: readonly HostileKind[] = [...disguised, ...exchanged, ...truncated];
