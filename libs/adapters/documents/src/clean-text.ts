import type { Page } from '@palimpsest/knowledge';

// eslint-disable-next-line no-control-regex -- they are what is meant: other than tab and line feed they break terminals
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/g;

/** Lone surrogates become U+FFFD; the length stays. */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\uFFFD');

/** Line ends become `\n`, control characters a space, lone surrogates U+FFFD, a byte order mark goes. Only line ends and the mark change the length. */
export const cleanText = (text: string): string =>
  wellFormed(text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n').replace(CONTROL, ' '));

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
