import { deflateSync } from 'node:zlib';

/** One object of a PDF: its dictionary, and its stream if it has one. */
export type PdfObject = Readonly<{ dictionary: string; stream?: Buffer }>;

/** The objects by number: 1 the catalog, 2 the page tree, 3 the page, 4 its contents, 5 the font. */
export const PAGE = {
  catalog: '<</Type/Catalog/Pages 2 0 R>>',
  pages: '<</Type/Pages/Kids[3 0 R]/Count 1>>',
  page: '<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
  font: '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
} as const;

export const words = (text: string): string => `BT /F1 12 Tf 1 0 0 1 72 700 Tm (${text}) Tj ET\n`;
export const plainStream = (content: string): PdfObject => ({
  dictionary: `<</Length ${Buffer.byteLength(content)}>>`,
  stream: Buffer.from(content),
});
export const deflated = (content: string | Buffer, more = ''): PdfObject => filtered(deflateSync(content), '/FlateDecode', more);
export const filtered = (stream: Buffer, filters: string, more = ''): PdfObject => ({
  dictionary: `<</Length ${stream.length}/Filter${filters}${more}>>`,
  stream,
});

/** A one-page PDF of these objects; other objects are those of a valid file. */
export function pdfWith(
  changes: Readonly<Record<number, string | PdfObject>>,
  options: Readonly<{ xref?: (table: string) => string; trailer?: string; startxref?: (at: number) => number }> = {},
): Buffer {
  const sound: Record<number, string | PdfObject> = {
    1: PAGE.catalog,
    2: PAGE.pages,
    3: PAGE.page,
    4: plainStream(words('The lamp burns oil')),
    5: PAGE.font,
  };
  const objects = Object.entries({ ...sound, ...changes });
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  const offsets = new Map<number, number>();
  let length = parts[0]?.length ?? 0;
  const put = (...pieces: Buffer[]): void => {
    parts.push(...pieces);
    for (const piece of pieces) length += piece.length;
  };
  for (const [number, object] of objects) {
    const { dictionary, stream } = typeof object === 'string' ? { dictionary: object, stream: undefined } : object;
    offsets.set(Number(number), length);
    put(Buffer.from(`${number} 0 obj\n${dictionary}\n`));
    if (stream !== undefined) put(Buffer.from('stream\n'), stream, Buffer.from('\nendstream\n'));
    put(Buffer.from('endobj\n'));
  }
  const count = Math.max(...offsets.keys()) + 1;
  const rows = Array.from({ length: count }, (_, number) => {
    const offset = offsets.get(number);
    return offset === undefined ? '0000000000 65535 f \n' : `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${count}\n${rows.join('')}`;
  const { xref = (same: string) => same, trailer = `<</Size ${count}/Root 1 0 R>>`, startxref = (at: number) => at } = options;
  const at = length;
  put(Buffer.from(`${xref(table)}trailer${trailer}\nstartxref\n${startxref(at)}\n%%EOF`));
  return Buffer.concat(parts);
}
