import { readFileSync } from 'node:fs';
import type { ParseInput } from '@palimpsest/knowledge/ports';
import { fromBufferPromise } from 'yauzl';
import type { Packed } from './packed.ts';
import { writeZip, type ZipEntry } from './zip-writer.ts';

/** A small valid file of each container format as the basis for damaged ones, and the part with its text. */
const SOUND = {
  docx: { fixture: 'report.docx', main: 'word/document.xml' },
  pptx: { fixture: 'talk.pptx', main: 'ppt/slides/slide1.xml' },
  xlsx: { fixture: 'ledger.xlsx', main: 'xl/worksheets/sheet1.xml' },
  odt: { fixture: 'report.odt', main: 'content.xml' },
  ods: { fixture: 'ledger.ods', main: 'content.xml' },
  epub: { fixture: 'book.epub', main: '' },
} as const;

export type OfficeFormat = keyof typeof SOUND;
export type Parts = ReadonlyMap<string, Buffer>;

export const fixture = (name: string): Buffer => readFileSync(new URL(`../fixtures/${name}`, import.meta.url));
export const soundFile = (format: OfficeFormat): Buffer => fixture(SOUND[format].fixture);

/** The parts of a valid file, in their order. */
export async function partsOf(format: OfficeFormat): Promise<Parts> {
  const zip = await fromBufferPromise(soundFile(format), { lazyEntries: true });
  const parts = new Map<string, Buffer>();
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
    parts.set(entry.fileName, Buffer.concat(chunks));
  }
  return parts;
}

export const mainPart = (format: OfficeFormat, parts: Parts): string =>
  SOUND[format].main || ([...parts.keys()].find((name) => /\.x?html$/.test(name) && !/nav|toc/.test(name)) ?? '');

type Change = string | Buffer | Packed | undefined;

/** A valid file with some parts replaced (`main` is the one with its text), or removed if undefined. */
export async function officeWith(
  format: OfficeFormat,
  changes: Readonly<Record<string, Change>>,
  claims: Readonly<Record<string, ZipEntry['claims']>> = {},
): Promise<ParseInput> {
  const parts = await partsOf(format);
  const main = mainPart(format, parts);
  const named = new Map(Object.entries(changes).map(([name, change]) => [name === 'main' ? main : name, change]));
  const entries: ZipEntry[] = [];
  for (const name of new Set([...parts.keys(), ...named.keys()])) {
    const content = named.has(name) ? named.get(name) : parts.get(name);
    const lies = claims[name] ?? (name === main ? claims['main'] : undefined);
    if (content !== undefined) entries.push({ name, content, ...(lies === undefined ? {} : { claims: lies }) });
  }
  return { fileName: `hostile.${format}`, bytes: writeZip(entries) };
}

const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const P =
  'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"';
const S = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const O =
  'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"';

/** The beginning of the main part, one paragraph (or row), its end; and the tags around nested words. */
export const XML = {
  docx: {
    head: `<?xml version="1.0"?><w:document ${W}><w:body>`,
    unit: '<w:p><w:r><w:t>aaaa bbbb</w:t></w:r></w:p>',
    tail: '</w:body></w:document>',
    open: '<w:p><w:r>',
    close: '</w:r></w:p>',
    text: (words: string) => `<w:p><w:r><w:t>${words}</w:t></w:r></w:p>`,
  },
  pptx: {
    head: `<?xml version="1.0"?><p:sld ${P}><p:cSld><p:spTree><p:sp><p:txBody>`,
    unit: '<a:p><a:r><a:t>aaaa bbbb</a:t></a:r></a:p>',
    tail: '</p:txBody></p:sp></p:spTree></p:cSld></p:sld>',
    open: '<a:p><a:r>',
    close: '</a:r></a:p>',
    text: (words: string) => `<a:p><a:r><a:t>${words}</a:t></a:r></a:p>`,
  },
  xlsx: {
    head: `<?xml version="1.0"?><worksheet ${S}><sheetData>`,
    unit: '<row><c t="inlineStr"><is><t>aaaa bb</t></is></c></row>',
    tail: '</sheetData></worksheet>',
    open: '<row><c>',
    close: '</c></row>',
    text: (words: string) => `<row><c t="inlineStr"><is><t>${words}</t></is></c></row>`,
  },
  odt: {
    head: `<?xml version="1.0"?><office:document-content ${O}><office:body><office:text>`,
    unit: '<text:p>aaaa bbbb</text:p>',
    tail: '</office:text></office:body></office:document-content>',
    open: '<text:section><text:p>',
    close: '</text:p></text:section>',
    text: (words: string) => `<text:p>${words}</text:p>`,
  },
  epub: {
    head: '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body>',
    unit: '<p>aaaa bbbb</p>',
    tail: '</body></html>',
    open: '<div>',
    close: '</div>',
    text: (words: string) => `<p>${words}</p>`,
  },
} as const;

export type XmlFormat = keyof typeof XML;

/** The main part with this between its head and its tail; `prologue` precedes the root element. */
export const mainXml = (format: XmlFormat, body: string, prologue = ''): string => {
  const { head, tail } = XML[format];
  return `${head.replace('?>', `?>${prologue}`)}${body}${tail}`;
};
