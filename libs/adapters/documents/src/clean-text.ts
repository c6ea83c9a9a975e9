import type { Page } from '@palimpsest/knowledge/ports';

// eslint-disable-next-line no-control-regex -- intended: except tab and line feed, control characters break terminals
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u0084\u0086-\u009F]/g;
/** Line ends of other systems: Windows, old Macs, mainframes and Unicode's own. */
const LINE_END = /\r\n?|[\u0085\u2028\u2029]/g;
/** Code points that Unicode reserves as noncharacters. */
const NO_CHARACTER = /\p{Noncharacter_Code_Point}/gu;

/** Replaces lone surrogates with U+FFFD; keeps the length. */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\uFFFD');

/** Line ends become `\n`, control characters a space, lone surrogates and noncharacters U+FFFD; a byte order mark is removed. */
export const cleanText = (text: string): string =>
  wellFormed(
    text
      .replace(/^\uFEFF/, '')
      .replace(LINE_END, '\n')
      .replace(CONTROL, ' '),
  ).replace(NO_CHARACTER, '\uFFFD');

/** Joins the texts of pages with blank lines; a page without text starts where the next one does. */
export function joinPages(texts: readonly string[]): { text: string; pages: Page[] } {
  const parts: string[] = [];
  const pages: Page[] = [];
  let offset = 0;
  for (const [index, raw] of texts.entries()) {
    const page = cleanText(raw).trim();
    pages.push({ number: index + 1, start: offset });
    if (page === '') continue;
    parts.push(page);
    offset += page.length + 2;
  }
  const text = parts.join('\n\n');
  return { text, pages: pages.map((page) => ({ ...page, start: Math.min(page.start, text.length) })) };
}
