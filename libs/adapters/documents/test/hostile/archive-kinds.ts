import { file, indexed, kind, refused, refusedAs, type HostileKind } from './hostile-kind.ts';
import { officeWith, soundFile, mainXml, XML, type XmlFormat } from './office-files.ts';
import { packed, swelling } from './packed.ts';
import { writeZip, type ZipEntry } from './zip-writer.ts';

const CONTAINERS: readonly XmlFormat[] = ['docx', 'pptx', 'xlsx', 'odt', 'epub'];
const GIGABYTE = 1_000_000_000;

const body = (format: XmlFormat): Buffer => Buffer.from(mainXml(format, XML[format].text('Oil for the lamp')));
const archive = (...entries: ZipEntry[]) => file('archive.zip', writeZip(entries));
const inArchive = (name: string) => () => archive({ name, content: 'words' }, { name: 'b.txt', content: 'words' });
const NOT_UNPACKED = refused('unsupported', /Archives are not unpacked/);

/** Each layer contains the previous one ten times: 10^depth files of zeros. */
const nestedZips = (depth: number): Buffer => {
  let inner: Buffer = writeZip([{ name: 'zeros.txt', content: swelling('\0', 10_000_000) }]);
  for (let level = 0; level < depth; level++) {
    const content = inner;
    inner = writeZip(Array.from({ length: 10 }, (_, index) => ({ name: `${level}-${index}.zip`, content })));
  }
  return inner;
};

const swellingParts: readonly HostileKind[] = CONTAINERS.flatMap((format) => [
  kind(
    `${format}: a part of 10 GB of blanks with its true size`,
    () => officeWith(format, { main: swelling(' ', 10 * GIGABYTE, XML[format].head, XML[format].tail) }),
    refused('too-large', /expands from/),
  ),
  kind(
    `${format}: a part of 2 GB with a declared size of 900 bytes`,
    () => officeWith(format, { main: swelling(' ', 2 * GIGABYTE, XML[format].head, XML[format].tail) }, { main: { size: 900 } }),
    refused('corrupt'),
  ),
]);

const validParts: readonly HostileKind[] = (['docx', 'pptx', 'xlsx', 'odt', 'epub'] as const).map((format) =>
  kind(
    `${format}: 300 MB of valid paragraphs`,
    () => officeWith(format, { main: swelling(XML[format].unit, 300_000_000, XML[format].head, XML[format].tail) }),
    refused('too-large', /expands from/),
  ),
);

const lies: readonly HostileKind[] = [
  kind(
    'zip: sizes in zip64 fields of 2^53',
    () => officeWith('docx', { main: body('docx') }, { main: { size: Number.MAX_SAFE_INTEGER, zip64: true } }),
    refused('too-large', /expands/),
  ),
  kind(
    'zip: a packed size far beyond the file',
    () => officeWith('docx', { main: body('docx') }, { main: { packedSize: 4_000_000_000 } }),
    refusedAs('corrupt'),
  ),
  kind(
    'zip: a part that is one byte larger than declared',
    () => officeWith('docx', { main: body('docx') }, { main: { size: body('docx').length - 1 } }),
    refusedAs('corrupt'),
  ),
  kind(
    'zip: a wrong checksum',
    () => officeWith('docx', { main: body('docx') }, { main: { crc: 0xdeadbeef } }),
    indexed(/Oil for the lamp/),
  ),
  kind(
    'zip: two names for one entry, inside and in the directory',
    () => officeWith('docx', { main: body('docx') }, { main: { localName: 'word/other.xml' } }),
    refused('corrupt'),
  ),
  kind(
    'zip: an unknown compression method',
    () => officeWith('docx', { main: body('docx') }, { main: { method: 99 } }),
    refused('corrupt'),
  ),
  kind(
    'zip: entries that overlap (one stream, a thousand names)',
    () => {
      const bomb = swelling('a', 20_000_000);
      const entries = Array.from({ length: 1_000 }, (_, index): ZipEntry => ({
        name: `word/part${index}.xml`,
        content: index === 0 ? bomb : { raw: Buffer.alloc(0), size: bomb.size, crc: bomb.crc },
        claims: { offset: 0, packedSize: bomb.raw.length },
      }));
      return file('overlapping.docx', writeZip(entries));
    },
    refused('too-large', /expands/),
  ),
  kind(
    'zip: a directory that declares 65,535 entries',
    () => file('many.docx', writeZip([{ name: 'word/document.xml', content: 'x' }], { entries: 65_535 })),
    refused('too-large', /65,535 entries/),
  ),
  kind(
    'zip: a directory that declares 9 entries and has 1',
    () => file('few.docx', writeZip([{ name: 'word/document.xml', content: 'x' }], { entries: 9 })),
    refused('corrupt'),
  ),
  kind(
    'zip: a directory offset after the end of the file',
    () => file('behind.docx', writeZip([{ name: 'word/document.xml', content: 'x' }], { directoryOffset: 0x7fffffff })),
    refused('corrupt'),
  ),
  kind(
    'zip: a directory that points at itself',
    () => {
      const zip = writeZip([{ name: 'word/document.xml', content: 'x' }]);
      return file('self.docx', Buffer.concat([zip.subarray(0, -6), Buffer.from([zip.length - 22, 0, 0, 0, 0, 0])]));
    },
    refused('corrupt'),
  ),
  kind(
    'zip: 20,000 empty entries',
    () => file('entries.docx', writeZip(Array.from({ length: 20_000 }, (_, index) => ({ name: `e${index}`, content: '' })))),
    refused('too-large', /20,000 entries/),
  ),
  kind(
    'zip: the same main part twice',
    async () => {
      const twice = [
        { name: 'word/document.xml', content: body('docx') },
        { name: 'word/document.xml', content: packed(Buffer.from(mainXml('docx', XML.docx.text('Another one')))) },
      ];
      return file(
        'twice.docx',
        writeZip([
          { name: '[Content_Types].xml', content: '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>' },
          ...twice,
        ]),
      );
    },
    indexed(/Another one/),
  ),
  kind('zip: an encrypted entry', () => officeWith('docx', { main: body('docx') }, { main: { flags: 1 } }), refused('password')),
  kind(
    'zip: strong encryption of the directory',
    () => officeWith('docx', { main: body('docx') }, { main: { flags: 0x2041 } }),
    refusedAs('corrupt', 'password'),
  ),
  kind(
    'zip: a name of 60,000 characters',
    () => officeWith('docx', { main: body('docx'), ['x'.repeat(60_000)]: 'x' }),
    indexed(/Oil for the lamp/),
  ),
  kind(
    'zip: a name that is not UTF-8',
    () => file('name.zip', writeZip([{ name: Buffer.from([0xff, 0xfe, 0xc0]), content: 'x' }])),
    NOT_UNPACKED,
  ),
  kind('zip: only the end of a directory', () => file('empty.zip', writeZip([])), NOT_UNPACKED),
];

const plain: readonly HostileKind[] = [
  kind('zip: names that climb out of the folder', inArchive('../../../../etc/cron.d/evil'), NOT_UNPACKED),
  kind('zip: names from the root', inArchive('/etc/passwd'), NOT_UNPACKED),
  kind('zip: names of drives and shares', inArchive('C:\\Windows\\System32\\evil.dll'), NOT_UNPACKED),
  kind('zip: a name with a NUL byte', inArchive('a.txt\0.exe'), NOT_UNPACKED),
  kind(
    'zip: a symbolic link to /etc/passwd',
    () => archive({ name: 'link', content: '/etc/passwd', claims: { attributes: 0xa1ff0000 } }),
    NOT_UNPACKED,
  ),
  kind('zip: zips in zips, 10^7 files', () => file('nested.zip', nestedZips(6)), NOT_UNPACKED),
  kind(
    'docx: a part whose name climbs out',
    () => officeWith('docx', { main: body('docx'), '../../outside.xml': '<a/>' }),
    indexed(/Oil for the lamp/),
  ),
  kind(
    'docx: the main part under a name from the root',
    () => officeWith('docx', { main: undefined, '/word/document.xml': body('docx') }),
    refusedAs('corrupt', 'empty'),
  ),
  kind(
    'zip in a docx: hidden files are not read',
    () => officeWith('docx', { main: body('docx'), 'word/embeddings/inner.zip': nestedZips(2) }),
    indexed(/Oil for the lamp/),
  ),
  kind(
    'docx after a megabyte of other data',
    () => file('prefixed.docx', Buffer.concat([Buffer.alloc(1_000_000, 0x61), soundFile('docx')])),
    refusedAs('unsupported', 'corrupt'),
  ),
];

const packers: readonly HostileKind[] = (
  [
    ['gzip', '1f8b0800000000000003', 'gz'],
    ['7z', '377abcaf271c0004', '7z'],
    ['rar', '526172211a070100', 'rar'],
    ['xz', 'fd377a585a000004', 'xz'],
    ['bzip2', '425a68393141592653590000', 'bz2'],
    ['zstd', '28b52ffd24', 'zst'],
  ] as const
).map(([name, magic, extension]) =>
  kind(
    `${name}, which is not unpacked`,
    () => file(`archive.${extension}`, Buffer.concat([Buffer.from(magic, 'hex'), Buffer.alloc(4_096)])),
    refused('unsupported'),
  ),
);

export const ARCHIVE_KINDS: readonly HostileKind[] = [...swellingParts, ...validParts, ...lies, ...plain, ...packers];
