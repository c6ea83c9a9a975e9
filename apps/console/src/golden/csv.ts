/** `line`: where the record begins, from 1. */
export type CsvRecord = Readonly<{ line: number; cells: readonly string[] }>;

/** A quote is not closed, or text follows a closing one. */
export class CsvError extends Error {
  readonly line: number;

  constructor(line: number) {
    super('closed quotes');
    this.line = line;
  }
}

const LINE_END = /\r\n|\n|\r/y;

/** The records of a CSV text (RFC 4180). A quoted cell can contain commas, line ends and doubled quotes. Empty lines are skipped. @throws CsvError */
export function* csvRecords(text: string): Generator<CsvRecord> {
  let at = text.startsWith('\ufeff') ? 1 : 0;
  let line = 1;
  while (at < text.length) {
    const begin = line;
    const cells: string[] = [];
    for (let isLast = false; !isLast;) {
      const { cell, end } = cellAt(text, at, line);
      line += text.slice(at, end).split(/\r\n|\n|\r/).length - 1;
      cells.push(cell);
      at = end;
      if (text[at] === ',') {
        at++;
        continue;
      }
      LINE_END.lastIndex = at;
      const lineEnd = LINE_END.exec(text)?.[0];
      if (lineEnd === undefined && at < text.length) throw new CsvError(line);
      at += lineEnd?.length ?? 0;
      line++;
      isLast = true;
    }
    if (cells.length > 1 || cells[0] !== '') yield { line: begin, cells };
  }
}

const PLAIN = /[^,\r\n]*/y;
const QUOTED = /"((?:[^"]|"")*)"/y;

const cellAt = (text: string, at: number, line: number): Readonly<{ cell: string; end: number }> => {
  const pattern = text[at] === '"' ? QUOTED : PLAIN;
  pattern.lastIndex = at;
  const found = pattern.exec(text);
  if (found === null) throw new CsvError(line);
  return { cell: found[1]?.replaceAll('""', '"') ?? found[0], end: at + found[0].length };
};
