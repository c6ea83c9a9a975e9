import { randomBytes } from 'node:crypto';
import { endless, file, indexed, kind, refused, refusedAs, type HostileKind } from './hostile-kind.ts';
import { fixture } from './office-files.ts';
import { swelling, type Packed } from './packed.ts';
import { deflated, filtered, PAGE, pdfWith, plainStream, words, type PdfObject } from './pdf-writer.ts';

const pdf =
  (...given: Parameters<typeof pdfWith>) =>
  () =>
    file('hostile.pdf', pdfWith(...given));
/** A zlib stream, as PDF requires. Its checksum is wrong, which readers ignore. */
const zlib = ({ raw }: Packed): Buffer => Buffer.concat([Buffer.from([0x78, 0x9c]), raw, Buffer.from([0, 0, 0, 1])]);
const swollen = (unit: string, size: number): PdfObject => filtered(zlib(swelling(unit, size)), '/FlateDecode');
const LAMP = words('The lamp burns');
const GIGABYTE = 1_000_000_000;

const loops: readonly HostileKind[] = [
  kind('pdf: a page tree that holds itself', pdf({ 2: '<</Type/Pages/Kids[2 0 R 2 0 R 2 0 R 3 0 R]/Count 1>>' }), refused('corrupt')),
  kind(
    'pdf: two page trees that hold each other',
    pdf({ 2: '<</Type/Pages/Kids[6 0 R]/Count 1>>', 6: '<</Type/Pages/Kids[2 0 R]/Parent 2 0 R/Count 1>>' }),
    refused('corrupt'),
  ),
  kind('pdf: a page that is its own parent', pdf({ 3: PAGE.page.replace('/Parent 2 0 R', '/Parent 3 0 R') }), indexed(/oil/)),
  kind('pdf: an object that is a reference to itself', pdf({ 4: '4 0 R' }), refusedAs('empty', 'corrupt')),
  kind('pdf: two references in a circle', pdf({ 4: '6 0 R', 6: '4 0 R' }), refusedAs('empty', 'corrupt')),
  kind(
    'pdf: a picture that draws itself',
    pdf({
      3: PAGE.page.replace('<</Font', '<</XObject<</X 6 0 R>>/Font'),
      4: plainStream(`/X Do ${LAMP}`),
      6: {
        dictionary: '<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 6 0 R>>>>/Length 5>>',
        stream: Buffer.from('/X Do'),
      },
    }),
    indexed(/burns/),
  ),
  kind(
    'pdf: a length that refers to its own stream',
    pdf({ 4: { dictionary: '<</Length 4 0 R>>', stream: Buffer.from(LAMP) } }),
    indexed(/burns/),
  ),
  kind('pdf: cross-reference tables in a circle', pdf({}, { trailer: '<</Size 6/Root 1 0 R/Prev 9>>' }), indexed(/oil/)),
  kind(
    'pdf: bookmarks in a circle',
    pdf({
      1: '<</Type/Catalog/Pages 2 0 R/Outlines 6 0 R>>',
      6: '<</First 7 0 R/Last 7 0 R>>',
      7: '<</Title(oil)/Parent 6 0 R/Next 7 0 R/First 7 0 R/Dest[3 0 R/Fit]>>',
    }),
    indexed(/oil/),
  ),
  kind(
    'pdf: names of destinations in a circle',
    pdf({
      1: '<</Type/Catalog/Pages 2 0 R/Names<</Dests 6 0 R>>/Outlines 7 0 R>>',
      6: '<</Kids[6 0 R]>>',
      7: '<</First 8 0 R/Last 8 0 R>>',
      8: '<</Title(oil)/Parent 7 0 R/Dest(here)>>',
    }),
    indexed(/oil/),
  ),
];

const broken: readonly HostileKind[] = [
  kind(
    'pdf: no table of its objects',
    () => file('hostile.pdf', pdfWith({}).subarray(0, pdfWith({}).lastIndexOf('xref\n0'))),
    refusedAs('corrupt'),
  ),
  kind(
    'pdf: a table whose offsets are all wrong',
    pdf({}, { xref: (table) => table.replace(/\d{10} 00000 n/g, '0000000042 00000 n') }),
    indexed(/oil/),
  ),
  kind(
    'pdf: a table of four thousand million objects',
    pdf({}, { xref: (table) => table.replace(/^xref\n0 \d+/, 'xref\n0 4294967295') }),
    indexed(/oil/),
  ),
  kind('pdf: a start offset after the end of the file', pdf({}, { startxref: () => 999_999_999 }), indexed(/oil/)),
  kind('pdf: a tree that declares a thousand million pages', pdf({ 2: '<</Type/Pages/Kids[3 0 R]/Count 1000000000>>' }), indexed(/oil/)),
  kind('pdf: a tree that declares minus one page', pdf({ 2: '<</Type/Pages/Kids[3 0 R]/Count -1>>' }), refused('corrupt', /no pages/)),
  kind('pdf: a page that is a number', pdf({ 3: '42' }), refused('corrupt')),
  kind('pdf: no catalog', pdf({}, { trailer: '<</Size 6/Root 99 0 R>>' }), refusedAs('corrupt')),
  kind(
    'pdf: an unknown encryption',
    pdf({ 6: '<</Filter/Evil/V 99/R 99>>' }, { trailer: '<</Size 7/Root 1 0 R/Encrypt 6 0 R/ID[<00><00>]>>' }),
    refusedAs('password', 'corrupt'),
  ),
  kind('pdf: protected by a password', () => file('password.pdf', fixture('password.pdf')), refused('password')),
  kind('pdf: a header and nothing else', () => file('header.pdf', '%PDF-1.7\n'), refused('corrupt')),
  endless('pdf: a header and a megabyte of noise', () =>
    file('noise.pdf', Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(1_000_000, '1 0 obj<<[(')])),
  ),
  kind(
    'pdf: a page without an end to its text',
    pdf({ 4: plainStream('BT /F1 12 Tf 1 0 0 1 72 700 Tm (never closed '.repeat(3)) }),
    refusedAs('empty', 'corrupt'),
  ),
  kind('pdf: a picture only', () => file('scanned.pdf', fixture('scanned.pdf')), refused('empty', /scanned/)),
  kind(
    'pdf: a script that runs when it is opened',
    pdf({ 1: '<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(app.alert\\(1\\);while\\(true\\){})>>>>' }),
    indexed(/oil/, { without: /alert/ }),
  ),
  kind(
    'pdf: a program to launch, and a form to send',
    pdf({ 1: '<</Type/Catalog/Pages 2 0 R/OpenAction<</S/Launch/F(calc.exe)>>/AA<</WC<</S/SubmitForm/F(http://127.0.0.1:9)>>>>>>' }),
    indexed(/oil/, { without: /calc/ }),
  ),
  kind(
    'pdf: files attached to it',
    pdf({
      1: '<</Type/Catalog/Pages 2 0 R/Names<</EmbeddedFiles<</Names[(evil.exe) 6 0 R]>>>>>>',
      6: '<</Type/Filespec/F(evil.exe)/EF<</F 7 0 R>>>>',
      7: plainStream('MZ hidden'),
    }),
    indexed(/oil/, { without: /hidden/ }),
  ),
  kind(
    'pdf: a font program of noise',
    pdf({
      5: '<</Type/Font/Subtype/TrueType/BaseFont/Evil/FontDescriptor 6 0 R>>',
      6: '<</Type/FontDescriptor/FontName/Evil/Flags 4/FontFile2 7 0 R>>',
      7: deflated(randomBytes(100_000)),
    }),
    indexed(/oil/),
  ),
  kind(
    'pdf: a character map that maps everything to a flood',
    pdf({
      5: PAGE.font.replace('>>', '/ToUnicode 6 0 R>>'),
      6: deflated(
        `begincmap 1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfrange <00> <ff> <${'0041'.repeat(2_000)}> endbfrange endcmap`,
      ),
    }),
    indexed(/A{100}/),
  ),
];

const large: readonly HostileKind[] = [
  kind('pdf: a page that swells to 2 GB of blanks', pdf({ 4: swollen(' ', 2 * GIGABYTE) }), refused('too-large', /memory/)),
  endless('pdf: a page of 400 MB of small texts', pdf({ 4: swollen('BT /F1 12 Tf 1 0 0 1 10 10 Tm () Tj ET\n', 400_000_000) })),
  kind(
    'pdf: a stream packed eight times over',
    () => {
      let stream = zlib(swelling(' ', 200_000_000));
      let filters = '/FlateDecode';
      for (let layer = 0; layer < 7; layer++) [stream, filters] = [deflated(stream).stream ?? stream, `/FlateDecode${filters}`];
      return file('hostile.pdf', pdfWith({ 4: filtered(stream, `[${filters.replaceAll('/', ' /')}]`) }));
    },
    refusedAs('too-large', 'empty'),
  ),
  kind(
    'pdf: five million brackets',
    pdf({ 4: deflated(`${'['.repeat(5_000_000)}${']'.repeat(5_000_000)}`) }),
    refusedAs('empty', 'corrupt', 'too-large', 'time-out'),
  ),
  kind(
    'pdf: a page dictionary a million brackets deep',
    pdf({ 3: PAGE.page.replace('/Type', `/X ${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}/Type`) }),
    refusedAs('corrupt', 'too-large'),
  ),
  kind(
    'pdf: an object stream of a million objects',
    pdf({
      6: deflated(
        `${Array.from({ length: 1_000_000 }, (_, index) => `${index + 100} ${index}`).join(' ')} `,
        '/Type/ObjStm/N 1000000/First 9000000',
      ),
    }),
    indexed(/oil/),
  ),
  kind(
    'pdf: an object stream that swells to 1 GB',
    pdf({
      1: '<</Type/Catalog/Pages 2 0 R/Metadata 6 0 R>>',
      6: { ...filtered(zlib(swelling(' ', GIGABYTE)), '/FlateDecode', '/Type/Metadata/Subtype/XML') },
    }),
    refusedAs('too-large'),
  ),
  kind(
    'pdf: 20,000 pages',
    () => {
      const pages = Object.fromEntries(
        Array.from({ length: 20_000 }, (_, index) => [index + 10, '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>']),
      );
      return file(
        'pages.pdf',
        pdfWith({
          2: `<</Type/Pages/Kids[${Object.keys(pages)
            .map((number) => `${number} 0 R`)
            .join(' ')}]/Count 20000>>`,
          ...pages,
        }),
      );
    },
    refused('too-large', /20,000 pages/),
  ),
  kind('pdf: one page 4,000 times', pdf({ 2: `<</Type/Pages/Kids[${'3 0 R '.repeat(4_000)}]/Count 4000>>` }), indexed(/oil/)),
  kind(
    'pdf: a picture of a hundred thousand by a hundred thousand dots',
    pdf({
      3: PAGE.page.replace('<</Font', '<</XObject<</I 6 0 R>>/Font'),
      4: plainStream(`/I Do ${LAMP}`),
      6: filtered(
        zlib(swelling('\0', 1_000_000)),
        '/FlateDecode',
        '/Type/XObject/Subtype/Image/Width 100000/Height 100000/ColorSpace/DeviceRGB/BitsPerComponent 8',
      ),
    }),
    indexed(/burns/),
  ),
];

export const PDF_KINDS: readonly HostileKind[] = [...loops, ...broken, ...large];
