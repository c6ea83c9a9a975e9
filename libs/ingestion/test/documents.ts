import type { Heading, ParsedDocument, TextWindow } from '@palimpsest/knowledge/ports';

/** A document with defaults for all other fields. */
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

/** The headings of simple Markdown: lines with one to six "#" and a title. */
export const atxHeadings = (text: string): readonly Heading[] =>
  [...text.matchAll(/^(#{1,6}) (.*)$/gm)].map((match) => ({
    level: match[1]?.length ?? 1,
    title: match[2] ?? '',
    start: match.index,
    end: match.index + match[0].length,
  }));

export const aMarkdown = (text: string, over: Partial<ParsedDocument> = {}): ParsedDocument =>
  aDocument({ kind: 'markdown', text, headings: atxHeadings(text), ...over });

/** Sheets in the format of the parser: name, header and rows, one per line. */
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

/** Each word is a token: easy to count by hand. */
export const wordWindow = (tokens: number): TextWindow => ({
  tokenizer: 'words',
  tokens,
  count: (text) => text.match(/\S+/g)?.length ?? 0,
});

/** Each non-blank character is a token, as in Chinese. */
export const characterWindow = (tokens: number): TextWindow => ({
  tokenizer: 'characters',
  tokens,
  count: (text) => text.replace(/\s+/gu, '').length,
});
