import type { Heading, ParsedDocument, TokenCounter } from '@palimpsest/knowledge';

/** A document that states only what matters. */
export const aDocument = (over: Partial<ParsedDocument> & Pick<ParsedDocument, 'kind' | 'text'>): ParsedDocument => ({
  mediaType: 'text/plain',
  language: 'en',
  headings: [],
  pages: [],
  sheets: [],
  metadata: {},
  warnings: [],
  ...over,
});

/** The headings of simple Markdown: lines of one to six "#" and a title. */
export const atxHeadings = (text: string): readonly Heading[] =>
  [...text.matchAll(/^(#{1,6}) (.*)$/gm)].map((match) => ({
    level: match[1]?.length ?? 1,
    title: match[2] ?? '',
    start: match.index,
    end: match.index + match[0].length,
  }));

export const aMarkdown = (text: string, over: Partial<ParsedDocument> = {}): ParsedDocument =>
  aDocument({ kind: 'markdown', text, headings: atxHeadings(text), ...over });

/** Sheets written as the parser writes them: name, header and rows, one per line. */
export const aWorkbook = (...sheets: readonly { name: string; header: string; rows: readonly string[] }[]): ParsedDocument => {
  let text = '';
  const parsed = sheets.map(({ name, header, rows }) => {
    const start = text.length;
    text += `${name}\n${header}\n`;
    const rowStarts = rows.map((row) => {
      const rowStart = text.length;
      text += `${row}\n`;
      return rowStart;
    });
    const end = text.length;
    text += '\n';
    return { name, header, start, end, rowStarts };
  });
  return aDocument({ kind: 'sheets', text, sheets: parsed });
};

/** A word is a token: easy to count by hand. */
export const wordCounter: TokenCounter = {
  name: 'words',
  count: (text) => text.match(/\S+/g)?.length ?? 0,
  tokenStarts: (text) => [...text.matchAll(/\S+/g)].map(({ index }, word) => (word === 0 ? 0 : index)),
};

/** A character is a token, as in Chinese; half of a surrogate pair has no start. */
export const characterCounter: TokenCounter = {
  name: 'characters',
  count: (text) => text.length,
  tokenStarts: (text) => [...text.matchAll(/[\s\S]/gu)].map(({ index }) => index),
};
