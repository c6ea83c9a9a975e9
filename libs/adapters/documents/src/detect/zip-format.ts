import { ParseRejection } from '../parse-rejection.ts';
import type { BinaryFormat } from './binary-format.ts';
import type { ZipContents } from './zip-contents.ts';

type ZipFormat = Readonly<{ format: BinaryFormat; mediaType: string }>;

const OFFICE = 'application/vnd.openxmlformats-officedocument';
const ODF = 'application/vnd.oasis.opendocument';

const BY_MIMETYPE: ReadonlyArray<readonly [prefix: string, format: BinaryFormat]> = [
  ['application/epub+zip', 'epub'],
  [`${ODF}.text`, 'writer'],
  [`${ODF}.presentation`, 'slides'],
  [`${ODF}.spreadsheet`, 'workbook'],
];

/** Detects Office formats and EPUB by their characteristic parts. Other archives are `unsupported`: they are not unpacked. */
export async function zipFormat(zip: ZipContents): Promise<ZipFormat> {
  if (zip.has('word/document.xml') || zip.has('word/document2.xml'))
    return { format: 'docx', mediaType: `${OFFICE}.wordprocessingml.document` };
  if (zip.has('ppt/presentation.xml')) return { format: 'slides', mediaType: `${OFFICE}.presentationml.presentation` };
  if (zip.has('xl/workbook.xml')) return { format: 'workbook', mediaType: `${OFFICE}.spreadsheetml.sheet` };
  if (zip.has('xl/workbook.bin')) return { format: 'workbook', mediaType: 'application/vnd.ms-excel.sheet.binary.macroEnabled.12' };
  const declared = (await zip.readText('mimetype', 200))?.trim() ?? '';
  const known = BY_MIMETYPE.find(([prefix]) => declared.startsWith(prefix));
  if (known !== undefined) {
    const manifest = await zip.readText('META-INF/manifest.xml', 5_000_000);
    if (manifest?.includes('encryption-data') === true) throw new ParseRejection('password', 'The document is protected by a password.');
    return { format: known[1], mediaType: declared };
  }
  if (zip.has('META-INF/container.xml')) return { format: 'epub', mediaType: 'application/epub+zip' };
  if (zip.has('[Content_Types].xml')) throw new ParseRejection('corrupt', 'The file is an Office document whose main part is missing.');
  throw new ParseRejection('unsupported', 'The file is a zip archive. Archives are not unpacked; add the files in it one by one.');
}
