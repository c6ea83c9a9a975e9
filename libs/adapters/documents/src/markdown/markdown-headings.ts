import MarkdownIt from 'markdown-it';
import type { Heading } from '@palimpsest/knowledge/ports';
import { wellFormed } from '../clean-text.ts';

/** Parses blocks only: parsing inline marks of a whole document is slow, and hostile text can make it slower. */
const blocks = new MarkdownIt({ html: true });
blocks.core.ruler.enableOnly(['normalize', 'block']);

const inline = new MarkdownIt({ html: true });
const LONGEST_TITLE = 300;

/** A heading's words, without emphasis, links, code marks and trailing `{#id}`. */
export function plainTitle(markdown: string): string {
  // Truncate first: the pattern takes quadratic time.
  const source = markdown.slice(0, 2 * LONGEST_TITLE).replace(/\s*\{#[^}]*\}\s*$/, '');
  const tokens = inline.parseInline(source, {})[0]?.children ?? [];
  const words = tokens.map((token) =>
    token.type === 'softbreak' || token.type === 'hardbreak' ? ' ' : token.type === 'html_inline' ? '' : token.content,
  );
  return wellFormed(words.join('').replace(/\s+/g, ' ').trim().slice(0, LONGEST_TITLE));
}

/** A text is parsed in slices of about this size: the token list of a whole 10 MB text takes half a gigabyte. */
const SLICE_CHARS = 256 * 1024;
const FENCE = /^ {0,3}(```+|~~~+)/;

/**
 * Splits a text before lines that begin a new block: not indented, after a blank line, outside of fenced code. Only HTML that
 * spans blank lines can be split wrongly.
 */
function* slicesOf(text: string): Generator<{ slice: string; offset: number }> {
  let sliceStart = 0;
  let fence: string | undefined;
  let afterBlank = false;
  for (let at = 0; at < text.length;) {
    const newline = text.indexOf('\n', at);
    const next = newline === -1 ? text.length : newline + 1;
    const line = text.slice(at, Math.min(next, at + 80));
    if (afterBlank && fence === undefined && at - sliceStart >= SLICE_CHARS && /^\S/.test(line)) {
      yield { slice: text.slice(sliceStart, at), offset: sliceStart };
      sliceStart = at;
    }
    const mark = FENCE.exec(line)?.[1];
    if (mark !== undefined) {
      if (fence === undefined) fence = mark;
      else if (mark.startsWith(fence)) fence = undefined;
    }
    afterBlank = line.trim() === '';
    at = next;
  }
  yield { slice: text.slice(sliceStart), offset: sliceStart };
}

/** The headings of a Markdown text with `\n` line ends, at most `max`. Headings inside quotes and lists are ignored. */
export function markdownHeadings(text: string, max: number): { headings: Heading[]; cut: boolean } {
  const headings: Heading[] = [];
  for (const { slice, offset } of slicesOf(text)) {
    for (const heading of headingsIn(slice)) {
      if (headings.length === max) return { headings, cut: true };
      headings.push({ ...heading, start: heading.start + offset, end: heading.end + offset });
    }
  }
  return { headings, cut: false };
}

function* headingsIn(text: string): Generator<Heading> {
  const lineStarts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lineStarts.push(at + 1);
  const tokens = blocks.parse(text, {});
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'heading_open' || token.level > 0 || token.map === null) continue;
    const [firstLine, nextLine] = token.map;
    const start = lineStarts[firstLine] ?? 0;
    const end = nextLine < lineStarts.length ? (lineStarts[nextLine] ?? text.length) - 1 : text.length;
    const title = plainTitle(tokens[index + 1]?.content ?? '');
    if (title !== '') yield { level: Number(token.tag.slice(1)), title, start, end: trimmedEnd(text, start, end) };
  }
}

/** A heading at the end of the text may be followed by blank lines. */
function trimmedEnd(text: string, start: number, end: number): number {
  let trimmed = end;
  while (trimmed > start && /\s/.test(text[trimmed - 1] ?? '')) trimmed--;
  return trimmed;
}
