import { constants, deflateRawSync } from 'node:zlib';
import type { ParseInput } from '@palimpsest/knowledge/ports';
import { ZipFile } from 'yazl';

const BLOCK = 1 << 20;

/** A deflate stream that repeats `unit`, about `size` bytes when expanded; only one block is compressed. */
function repeated(unit: string, size: number): Buffer {
  const block = Buffer.from(unit.repeat(Math.ceil(BLOCK / unit.length)));
  const packed = deflateRawSync(block, { finishFlush: constants.Z_FULL_FLUSH });
  const end = deflateRawSync(Buffer.alloc(0));
  return Buffer.concat([...Array.from({ length: Math.ceil(size / block.length) }, () => packed), end]);
}

/** A PDF of one page whose content is this deflate stream. Its checksum is wrong, which readers ignore. */
function pdfWithContent(deflated: Buffer): ParseInput {
  const content = Buffer.concat([Buffer.from([0x78, 0x9c]), deflated, Buffer.from([0, 0, 0, 1])]);
  const objects = [
    Buffer.from('<</Type/Catalog/Pages 2 0 R>>'),
    Buffer.from('<</Type/Pages/Kids[3 0 R]/Count 1>>'),
    Buffer.from('<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>'),
    Buffer.concat([Buffer.from(`<</Length ${content.length}/Filter/FlateDecode>>\nstream\n`), content, Buffer.from('\nendstream')]),
    Buffer.from('<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>'),
  ];
  const parts: Buffer[] = [Buffer.from('%PDF-1.5\n')];
  for (const [index, object] of objects.entries()) parts.push(Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from('\nendobj\n'));
  parts.push(Buffer.from('trailer<</Size 6/Root 1 0 R>>\n%%EOF'));
  return { bytes: Buffer.concat(parts), fileName: 'hostile.pdf' };
}

/** Keeps the reader busy for minutes with small text operations, in little memory at first. */
export const endlessPdf = (): ParseInput => pdfWithContent(repeated('BT /F1 12 Tf 1 0 0 1 10 10 Tm () Tj ET\n', 400_000_000));

/** Expands to `size` bytes of spaces. */
export const swellingPdf = (size: number): ParseInput => pdfWithContent(repeated(' ', size));

/** A zip container with these entries. */
export function zipped(entries: Readonly<Record<string, string>>, fileName: string): Promise<ParseInput> {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(entries)) zip.addBuffer(Buffer.from(content), name);
  zip.end();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    zip.outputStream.on('error', reject);
    zip.outputStream.on('data', (chunk: Buffer) => chunks.push(chunk));
    zip.outputStream.on('end', () => resolve({ bytes: Buffer.concat(chunks), fileName }));
  });
}

const WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const CONTENT_TYPES =
  '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>';
const RELATIONSHIPS =
  '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>';

/** A Word file with this body; `prologue` precedes the root element. */
export const docxWith = (body: string, prologue = ''): Promise<ParseInput> =>
  zipped(
    {
      '[Content_Types].xml': CONTENT_TYPES,
      '_rels/.rels': RELATIONSHIPS,
      'word/document.xml': `<?xml version="1.0"?>${prologue}<w:document ${WORD}><w:body>${body}</w:body></w:document>`,
    },
    'hostile.docx',
  );
