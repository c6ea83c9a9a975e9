import type { ParseInput } from '@palimpsest/knowledge/ports';
import { endless, file, indexed, kind, refused, refusedAs, type HostileKind } from './hostile-kind.ts';
import { fixture, mainXml, officeWith, partsOf, XML, type XmlFormat } from './office-files.ts';

const FORMATS: readonly XmlFormat[] = ['docx', 'pptx', 'xlsx', 'odt', 'epub'];
const ENTITIES = Array.from({ length: 10 }, (_, level) => `<!ENTITY l${level + 1} "${`&l${level};`.repeat(10)}">`).join('');
const LAUGHS = `<!DOCTYPE a [<!ENTITY l0 "lollollollol">${ENTITIES}]>`;
const QUADRATIC = `<!DOCTYPE a [<!ENTITY q "${'q'.repeat(50_000)}">]>`;
const XXE = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>';
const REMOTE = '<!DOCTYPE a SYSTEM "http://127.0.0.1:9/evil.dtd" [<!ENTITY % p SYSTEM "http://127.0.0.1:9/p"> %p;]>';
const PASSWD = /root:/;
const DEEP = 300_000;

const ENTITY = {
  docx: refused('corrupt'),
  pptx: indexed(/The lamp/),
  xlsx: indexed(/The lamp/),
  odt: indexed(/The lamp/),
  epub: indexed(/^The lamp/),
};
const REMOTE_TYPE = {
  docx: indexed(/burns/),
  pptx: indexed(/burns/),
  xlsx: indexed(/burns/),
  odt: indexed(/burns/),
  epub: indexed(/^The lamp burns/),
};
const DEEPLY = {
  docx: refused('too-large'),
  pptx: refused('too-large'),
  xlsx: indexed(/Part/),
  odt: refused('too-large'),
  epub: indexed(/x/),
};
/** Other slides, sheets and chapters are kept, with a warning that something is missing. */
const LEFT = { warning: /damaged|missing/ };
const CUT = {
  docx: refused('corrupt'),
  pptx: refused('corrupt'),
  xlsx: indexed(/Part/, LEFT),
  odt: refused('corrupt'),
  epub: indexed(/Departure/),
};
const MISSING = {
  docx: refusedAs('unsupported', 'corrupt'),
  pptx: indexed(/Ten barrels/, LEFT),
  xlsx: indexed(/Part/, LEFT),
  odt: refused('corrupt'),
  epub: indexed(/Departure/, LEFT),
};
const NO_XML = {
  docx: refused('corrupt'),
  pptx: refused('corrupt'),
  xlsx: indexed(/Part/, LEFT),
  odt: refused('corrupt'),
  epub: indexed(/Departure/, LEFT),
};
const EMPTY = {
  docx: refused('corrupt'),
  pptx: refused('corrupt'),
  xlsx: indexed(/Part/, LEFT),
  odt: refused('corrupt'),
  epub: indexed(/Departure/),
};

/** Text next to an entity that a reader does not expand is kept, or the part is refused. */
const eachFormat: readonly HostileKind[] = FORMATS.flatMap((format) => {
  const { open, close, text } = XML[format];
  const main =
    (content: string, prologue = '') =>
    () =>
      officeWith(format, { main: mainXml(format, content, prologue) });
  return [
    kind(`${format}: billion laughs`, main(text('The lamp &l10;'), LAUGHS), ENTITY[format]),
    kind(`${format}: one long entity, named ten thousand times`, main(text(`The lamp ${'&q;'.repeat(10_000)}`), QUADRATIC), ENTITY[format]),
    kind(
      `${format}: an entity that reads a file`,
      main(text('The lamp &x;'), XXE),
      'indexed' in ENTITY[format] ? { ...ENTITY[format], without: PASSWD } : ENTITY[format],
    ),
    kind(`${format}: a document type from the network`, main(text('The lamp burns'), REMOTE), REMOTE_TYPE[format]),
    kind(`${format}: ${DEEP.toLocaleString('en-US')} elements deep`, main(`${open.repeat(DEEP)}x${close.repeat(DEEP)}`), DEEPLY[format]),
    kind(
      `${format}: cut in the middle of its text`,
      () => officeWith(format, { main: mainXml(format, text('The lamp burns')).slice(0, -60) }),
      CUT[format],
    ),
    kind(`${format}: its main part is missing`, () => officeWith(format, { main: undefined }), MISSING[format]),
    kind(
      `${format}: its main part is not XML`,
      () => officeWith(format, { main: Buffer.from(Uint8Array.from({ length: 5_000 }, (_, index) => (index * 131) % 256)) }),
      NO_XML[format],
    ),
    kind(`${format}: its main part is empty`, () => officeWith(format, { main: '' }), EMPTY[format]),
  ];
});

const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const relations = (...list: string[]): string =>
  `<?xml version="1.0"?><Relationships xmlns="${RELATIONS}">${list.map((target, index) => `<Relationship Id="rId${index + 1}" ${target}/>`).join('')}</Relationships>`;
const external = (type: string, target: string): string => `Type="${OFFICE}/${type}" TargetMode="External" Target="${target}"`;
const style = (id: string, basedOn: string): string =>
  `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${id}"/><w:basedOn w:val="${basedOn}"/></w:style>`;
const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';

const word: readonly HostileKind[] = [
  kind(
    'docx: a picture and a template from elsewhere',
    () =>
      officeWith('docx', {
        'word/_rels/document.xml.rels': relations(
          external('image', 'file:///etc/passwd'),
          external('attachedTemplate', 'http://127.0.0.1:9/t.dotm'),
        ),
      }),
    indexed(/lighthouse keeper/, { without: PASSWD }),
  ),
  kind(
    'docx: styles that are based on each other in a circle',
    () =>
      officeWith('docx', {
        'word/styles.xml': `<?xml version="1.0"?><w:styles ${W}>${style('Heading1', 'Heading2')}${style('Heading2', 'Heading1')}</w:styles>`,
      }),
    indexed(/lighthouse keeper/),
  ),
  kind(
    'docx: a style that is based on itself',
    () => officeWith('docx', { 'word/styles.xml': `<?xml version="1.0"?><w:styles ${W}>${style('Heading1', 'Heading1')}</w:styles>` }),
    indexed(/lighthouse keeper/),
  ),
  kind('docx: relations that are not XML', () => officeWith('docx', { 'word/_rels/document.xml.rels': '<<<' }), refused('corrupt')),
  kind('docx: no content types', () => officeWith('docx', { '[Content_Types].xml': undefined }), indexed(/lighthouse keeper/)),
  kind(
    'docx: content types with a million entries',
    () =>
      officeWith('docx', {
        '[Content_Types].xml': `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${'<Default Extension="a" ContentType="b"/>'.repeat(100_000)}</Types>`,
      }),
    indexed(/lighthouse keeper/),
  ),
  kind(
    'docx: a table within a table, 2,000 times',
    () =>
      officeWith('docx', {
        main: mainXml(
          'docx',
          `${'<w:tbl><w:tr><w:tc>'.repeat(2_000)}<w:p><w:r><w:t>core</w:t></w:r></w:p>${'</w:tc></w:tr></w:tbl>'.repeat(2_000)}`,
        ),
      }),
    refusedAs('too-large'),
  ),
  kind(
    'docx: a cell that spans a million columns',
    () =>
      officeWith('docx', {
        main: mainXml(
          'docx',
          '<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="1000000"/></w:tcPr><w:p><w:r><w:t>wide</w:t></w:r></w:p></w:tc></w:tr></w:tbl>',
        ),
      }),
    indexed(/wide/),
  ),
  kind(
    'docx: an attribute of a million characters',
    () =>
      officeWith('docx', { main: mainXml('docx', `<w:p w:rsid="${'a'.repeat(1_000_000)}"><w:r><w:t>The lamp burns</w:t></w:r></w:p>`) }),
    indexed(/burns/),
  ),
  kind(
    'docx: 200,000 attributes in one element',
    () =>
      officeWith('docx', {
        main: mainXml(
          'docx',
          `<w:p ${Array.from({ length: 200_000 }, (_, index) => `a${index}="x"`).join(' ')}><w:r><w:t>The lamp burns</w:t></w:r></w:p>`,
        ),
      }),
    indexed(/burns/),
  ),
  kind(
    'docx: properties that are a bomb',
    () => officeWith('docx', { 'docProps/core.xml': `<a>${'<dc:title'.repeat(100_000)}` }),
    indexed(/lighthouse keeper/),
  ),
  kind('docx: renamed to .pdf', async () => ({ ...(await officeWith('docx', {})), fileName: 'report.pdf' }), indexed(/lighthouse keeper/)),
  kind('docx: protected by a password', () => file('password.docx', fixture('password.docx')), refused('password')),
  kind('doc: protected by a password', () => file('password.doc', fixture('password.doc')), refused('password')),
  kind('odt: protected by a password', () => file('password.odt', fixture('password.odt')), refused('password')),
];

const SHARED = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const sheet = (rows: string): string => mainXml('xlsx', rows);

/** A workbook with a shared strings part that contains one text. */
async function sharing(text: string, rows: string): Promise<ParseInput> {
  const types = (await partsOf('xlsx')).get('[Content_Types].xml')?.toString() ?? '';
  const override =
    '<Override PartName="/xl/sharedStrings.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/></Types>';
  return officeWith('xlsx', {
    '[Content_Types].xml': types.replace('</Types>', override),
    'xl/sharedStrings.xml': `<sst ${SHARED} count="1" uniqueCount="1"><si><t>${text}</t></si></sst>`,
    main: sheet(rows),
  });
}

const sheets: readonly HostileKind[] = [
  kind(
    'xlsx: two cells at the far corners',
    () =>
      officeWith('xlsx', { main: sheet('<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>') }),
    indexed(/1/, { warning: /more than 500 columns/ }),
  ),
  kind(
    'xlsx: a cell beyond every sheet',
    () =>
      officeWith('xlsx', {
        main: sheet('<row r="99999999"><c r="ZZZZZZ99999999"><v>7</v></c></row><row r="1"><c r="A1"><v>1</v></c></row>'),
      }),
    indexed(/Aurora|1/),
  ),
  kind(
    'xlsx: a million rows of numbers',
    () =>
      officeWith('xlsx', {
        main: sheet(Array.from({ length: 1_048_576 }, (_, row) => `<row><c><v>${row}</v></c><c><v>1</v></c></row>`).join('')),
      }),
    refusedAs('too-large', 'time-out'),
  ),
  kind(
    'xlsx: a shared string of 40 MB',
    () => sharing('The lamp burns. '.repeat(2_500_000), '<row><c t="s"><v>0</v></c></row>'),
    refused('too-large'),
  ),
  kind(
    'xlsx: one long shared string in a thousand cells',
    () => sharing('The lamp burns. '.repeat(6_000), '<row><c t="s"><v>0</v></c></row>'.repeat(1_000)),
    refused('too-large'),
  ),
  kind(
    'xlsx: missing shared strings',
    () => officeWith('xlsx', { main: sheet('<row><c t="s"><v>999999999</v></c></row>') }),
    indexed(/Part/),
  ),
  kind(
    'xlsx: a merged range over the whole sheet',
    () =>
      officeWith('xlsx', {
        main: `${sheet('<row><c t="inlineStr"><is><t>burns</t></is></c></row>').replace('</worksheet>', '')}<mergeCells count="1"><mergeCell ref="A1:XFD1048576"/></mergeCells></worksheet>`,
      }),
    indexed(/burns/),
  ),
  kind(
    'xlsx: a wrong dimension',
    () =>
      officeWith('xlsx', {
        main: sheet('<row><c t="inlineStr"><is><t>burns</t></is></c></row>').replace(
          '<sheetData>',
          '<dimension ref="A1:XFD1048576"/><sheetData>',
        ),
      }),
    indexed(/burns/),
  ),
  kind(
    'xlsx: a number format of 100,000 sections',
    () =>
      officeWith('xlsx', {
        'xl/styles.xml': `<styleSheet ${SHARED}><numFmts count="1"><numFmt numFmtId="200" formatCode="${'0;'.repeat(100_000)}"/></numFmts><cellXfs count="1"><xf numFmtId="200" applyNumberFormat="1"/></cellXfs></styleSheet>`,
        main: sheet('<row><c s="0"><v>5</v></c><c t="inlineStr"><is><t>burns</t></is></c></row>'),
      }),
    indexed(/burns/),
  ),
  kind(
    'xlsx: 5,000 missing sheets',
    () =>
      officeWith('xlsx', {
        'xl/workbook.xml': `<workbook ${SHARED} xmlns:r="${OFFICE}"><sheets>${Array.from({ length: 5_000 }, (_, index) => `<sheet name="S${index}" sheetId="${index + 1}" r:id="rId${index + 900}"/>`).join('')}</sheets></workbook>`,
      }),
    indexed(/Part/),
  ),
  kind(
    'xlsx: a formula for a program to start',
    () => officeWith('xlsx', { main: sheet(`<row><c t="str"><f>cmd|' /C calc'!A0</f><v>burns</v></c></row>`) }),
    indexed(/burns/, { without: /calc/ }),
  ),
  kind(
    'xlsx: a name that is every cell of every sheet',
    () => officeWith('xlsx', { 'xl/externalLinks/externalLink1.xml': '<externalLink/>' }),
    indexed(/Aurora/),
  ),
  endless('ods: a row that is repeated a million times', () =>
    officeWith('ods', {
      main: ods(
        '<table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384" office:value-type="string"><text:p>burns</text:p></table:table-cell></table:table-row>',
      ),
    }),
  ),
  kind(
    'ods: an empty row that is repeated a million times',
    () =>
      officeWith('ods', {
        main: ods(
          '<table:table-row table:number-rows-repeated="1048575"><table:table-cell table:number-columns-repeated="16384"/></table:table-row><table:table-row><table:table-cell office:value-type="string"><text:p>burns</text:p></table:table-cell></table:table-row>',
        ),
      }),
    indexed(/burns/),
  ),
];

function ods(rows: string): string {
  return `<?xml version="1.0"?><office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"><office:body><office:spreadsheet><table:table table:name="S">${rows}</table:table></office:spreadsheet></office:body></office:document-content>`;
}

const slides: readonly HostileKind[] = [
  kind(
    'pptx: a list of slides that names one slide 3,000 times',
    () =>
      officeWith('pptx', {
        'ppt/presentation.xml': `<p:presentation xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="${OFFICE}"><p:sldIdLst>${'<p:sldId id="256" r:id="rId1"/>'.repeat(3_000)}</p:sldIdLst></p:presentation>`,
      }),
    indexed(/Harbour lights/),
  ),
  kind(
    'pptx: notes of another slide',
    () =>
      officeWith('pptx', { 'ppt/slides/_rels/slide1.xml.rels': relations(`Type="${OFFICE}/notesSlide" Target="../slides/slide1.xml"`) }),
    indexed(/Harbour lights/),
  ),
  kind(
    'odt: a blank that is repeated a thousand million times',
    () => officeWith('odt', { main: mainXml('odt', '<text:p>The lamp<text:s text:c="1000000000"/>burns</text:p>') }),
    indexed(/burns/),
  ),
  kind(
    'odt: a cell that spans ten million columns',
    () =>
      officeWith('odt', {
        main: mainXml(
          'odt',
          '<table:table><table:table-row><table:table-cell table:number-columns-repeated="10000000"><text:p>burns</text:p></table:table-cell></table:table-row></table:table>',
        ),
      }),
    refusedAs('too-large', 'time-out'),
  ),
];

const BOOK = '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf"><metadata/><manifest>';
const book = (items: string, refs: string): string => `${BOOK}${items}</manifest><spine>${refs}</spine></package>`;

const books: readonly HostileKind[] = [
  kind(
    'epub: chapters outside of the book',
    () =>
      officeWith('epub', {
        'OPS/book.opf': book(
          '<item id="a" href="../../../../../etc/passwd"/><item id="b" href="http://127.0.0.1:9/x"/><item id="c" href="two.xhtml"/>',
          '<itemref idref="a"/><itemref idref="b"/><itemref idref="c"/>',
        ),
      }),
    indexed(/./, { without: PASSWD, warning: /missing/ }),
  ),
  kind(
    'epub: one chapter in the spine 100,000 times',
    () => officeWith('epub', { 'OPS/book.opf': book('<item id="c" href="two.xhtml"/>', '<itemref idref="c"/>'.repeat(100_000)) }),
    indexed(/Departure/),
  ),
  kind(
    'epub: a chapter with an invalid address',
    () =>
      officeWith('epub', {
        'OPS/book.opf': book('<item id="a" href="%E0%A4%A"/><item id="c" href="two.xhtml"/>', '<itemref idref="a"/><itemref idref="c"/>'),
      }),
    indexed(/./, { warning: /missing/ }),
  ),
  kind(
    'epub: a container that names itself',
    () =>
      officeWith('epub', {
        'META-INF/container.xml': '<container><rootfiles><rootfile full-path="META-INF/container.xml"/></rootfiles></container>',
      }),
    refusedAs('empty', 'corrupt'),
  ),
  kind(
    'epub: chapters under rights management',
    () => officeWith('epub', { 'META-INF/encryption.xml': '<encryption><enc:CipherReference URI="OPS/two.xhtml"/></encryption>' }),
    refused('password'),
  ),
  kind(
    'epub: 100,000 missing chapters',
    () =>
      officeWith('epub', {
        'OPS/book.opf': book(
          Array.from({ length: 100_000 }, (_, index) => `<item id="i${index}" href="c${index}.xhtml"/>`).join(''),
          Array.from({ length: 100_000 }, (_, index) => `<itemref idref="i${index}"/>`).join(''),
        ),
      }),
    refused('too-large', /100,000 chapters/),
  ),
];

export const OFFICE_KINDS: readonly HostileKind[] = [...eachFormat, ...word, ...sheets, ...slides, ...books];
