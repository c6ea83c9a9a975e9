/** The parts of pdf.js's text content that are used here; other items mark structure. */
type TextItem = Readonly<{ str: string; transform: readonly number[]; height: number; hasEOL: boolean }>;
export type TextContent = Readonly<{ items: ReadonlyArray<TextItem | Readonly<{ type: string }>> }>;

/** A gap between lines of more than this many line heights separates paragraphs. */
const PARAGRAPH_GAP = 1.6;
/** Minimum ratio between the font sizes of a heading and the text after it. */
const SIZE_STEP = 1.15;

type Line = { text: string; y: number; height: number };

function linesOf(content: TextContent): Line[] {
  const lines: Line[] = [];
  let line: Line | undefined;
  for (const item of content.items) {
    if (!('str' in item)) continue;
    line ??= { text: '', y: item.transform[5] ?? 0, height: 0 };
    line.text += item.str;
    if (item.str.trim() !== '') {
      line.y = item.transform[5] ?? line.y;
      line.height = Math.max(line.height, item.height);
    }
    if (item.hasEOL) {
      lines.push(line);
      line = undefined;
    }
  }
  if (line !== undefined) lines.push(line);
  return lines.filter(({ text }) => text.trim() !== '');
}

function startsParagraph(line: Line, previous: Line): boolean {
  const size = Math.max(line.height, previous.height, 1);
  const fall = previous.y - line.y;
  const resized =
    line.height > 0 && previous.height > 0 && Math.max(line.height / previous.height, previous.height / line.height) > SIZE_STEP;
  return fall > size * PARAGRAPH_GAP || fall < -size * PARAGRAPH_GAP || (resized && fall > 0.5 * size);
}

/** Joins words that are hyphenated at a line end: `exam-` + `ple`. A word with another hyphen keeps this one (`state-of-the-` + `art`). */
const joinHyphenated = (text: string): string =>
  text.replace(/(?<![\p{L}-])(\p{L}+)-\n(?=\p{Ll}{2})/gu, '$1').replace(/(-\p{L}+-)\n(?=\p{Ll})/gu, '$1');

/** The text of one page: lines as printed, paragraphs separated by a blank line. */
export function pageText(content: TextContent): string {
  let text = '';
  let previous: Line | undefined;
  for (const line of linesOf(content)) {
    if (previous !== undefined) text += startsParagraph(line, previous) ? '\n\n' : '\n';
    text += line.text.replace(/\s+/g, ' ').trim();
    previous = line;
  }
  return joinHyphenated(text);
}
