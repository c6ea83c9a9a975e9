import type { Span } from './cuts.ts';
import { trimEnd } from './safe-offset.ts';

/** A fenced code block or a table; `header` is a table's first line. */
export type Block = Span & Readonly<{ header?: string }>;

/** UTF-16 units; a longer header row is not repeated. */
const LONGEST_HEADER = 300;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** The lines of a span with their offsets, without line ends. */
function* linesOf(text: string, { start, end }: Span): Generator<Span & { line: string }> {
  let at = start;
  while (at < end) {
    const lineFeed = text.indexOf('\n', at);
    const lineEnd = lineFeed < 0 || lineFeed >= end ? end : lineFeed;
    yield { start: at, end: lineEnd, line: text.slice(at, lineEnd) };
    at = lineEnd + 1;
  }
}

/**
 * The blocks in a span of Markdown that should not be split, ascending and disjoint: fenced code (up to the end of the span if the
 * fence is never closed) and tables (at least two consecutive lines with a "|").
 */
export const blocksOf = (text: string, span: Span): readonly Block[] => {
  const blocks: Block[] = [];
  let fence: { mark: string; start: number } | undefined;
  let table: { start: number; end: number; lines: number; header: string } | undefined;
  const closeTable = (): void => {
    if (table !== undefined && table.lines > 1)
      blocks.push({ start: table.start, end: table.end, ...(table.header.length <= LONGEST_HEADER ? { header: table.header } : {}) });
    table = undefined;
  };
  for (const { start, end, line } of linesOf(text, span)) {
    const mark = FENCE.exec(line)?.[1];
    if (fence !== undefined) {
      const closes = mark !== undefined && mark.startsWith(fence.mark) && line.trim() === mark;
      if (closes) blocks.push({ start: fence.start, end });
      if (closes) fence = undefined;
    } else if (mark !== undefined) {
      closeTable();
      fence = { mark, start };
    } else if (line.includes('|')) {
      table = table === undefined ? { start, end, lines: 1, header: line.trim() } : { ...table, end, lines: table.lines + 1 };
    } else closeTable();
  }
  closeTable();
  if (fence !== undefined) blocks.push({ start: fence.start, end: span.end });
  return blocks.map((block) => ({ ...block, end: trimEnd(text, block.start, block.end) }));
};
