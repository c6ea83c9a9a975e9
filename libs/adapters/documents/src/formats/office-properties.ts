import type { ZipContents } from '../detect/zip-contents.ts';

const PROPERTIES: ReadonlyArray<readonly [name: string, element: string]> = [
  ['title', 'dc:title'],
  ['author', 'dc:creator'],
  ['subject', 'dc:subject'],
  ['keywords', 'cp:keywords'],
  ['description', 'dc:description'],
  ['created', 'dcterms:created'],
  ['modified', 'dcterms:modified'],
];

export const decodeXmlEntities = (text: string): string =>
  text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/gi, (whole, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }[name.toLowerCase()] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : '';
  });

/** The properties in `docProps/core.xml`. They are flat elements, so no XML parser is needed. */
export async function officeProperties(zip: ZipContents): Promise<Record<string, string> & { title?: string }> {
  const xml = (await zip.readText('docProps/core.xml', 1_000_000).catch(() => undefined)) ?? '';
  const found: Record<string, string> = {};
  for (const [name, element] of PROPERTIES) {
    const value = new RegExp(`<${element}(?:\\s[^>]*)?>([^<]*)</${element}>`).exec(xml)?.[1];
    const text = decodeXmlEntities(value ?? '').trim();
    if (text !== '') found[name] = text;
  }
  return found;
}
