import type { Sheet } from '@palimpsest/knowledge/ports';
import { cleanText } from '../clean-text.ts';
import { humanCount } from '../human-size.ts';
import { ParseRejection } from '../parse-rejection.ts';
import type { ParserLimits } from '../parser-limits.ts';

/** Number of rows that are searched for the header; later rows are written immediately. */
const HEADER_SEARCH_ROWS = 20;

const cellText = (cell: string): string => cleanText(cell).replace(/\s+/g, ' ').trim();
const isNumber = (cell: string): boolean => /^[-+(]?[\d.,'\s]*\d[\d.,'\s]*[%)]?$|^\d{4}-\d{2}-\d{2}/.test(cell);
const filled = (row: readonly string[]): number => row.filter((cell) => cell !== '').length;

/**
 * The index of the header row: the first one that fills most of the width with words. Titles above a table fill one cell; data rows
 * have numbers. -1 if there is none.
 */
function headerIndex(rows: readonly (readonly string[])[]): number {
  const width = Math.max(0, ...rows.map(filled));
  if (rows.length < 2 || width === 0) return -1;
  return rows.findIndex((row) => {
    const words = row.filter((cell) => cell !== '' && !isNumber(cell)).length;
    return filled(row) >= Math.max(1, width * 0.6) && words >= filled(row) * 0.6;
  });
}

/**
 * Writes sheets into one text: a header line, then a line per row, cells separated by ` | `. Empty rows are omitted; rows above
 * the header are written after it. Buffers only the first rows of a sheet.
 */
export class SheetWriter {
  readonly sheets: Sheet[] = [];
  readonly warnings = new Set<string>();
  readonly #limits: ParserLimits;
  readonly #parts: string[] = [];
  #offset = 0;
  #cells = 0;

  constructor(limits: ParserLimits) {
    this.#limits = limits;
  }

  get text(): string {
    return this.#parts.join('');
  }

  /** Adds a sheet row by row; `close` ends it. Rejects as `too-large` beyond the maximum number of cells or characters. */
  open(name: string): { row: (cells: readonly string[]) => void; close: () => void } {
    const first: string[][] = [];
    const rowStarts: number[] = [];
    let header = '';
    let start: number | undefined;
    const writeRow = (row: readonly string[]): void => {
      rowStarts.push(this.#offset);
      this.#put(`${row.join(' | ')}\n`);
    };
    const begin = (): void => {
      if (this.sheets.length > 0) this.#put('\n');
      start = this.#offset;
      const headerAt = headerIndex(first);
      header = (first[headerAt] ?? []).join(' | ');
      if (header !== '') this.#put(`${header}\n`);
      for (const [index, row] of first.splice(0).entries()) if (index !== headerAt) writeRow(row);
    };
    return {
      row: (cells) => {
        const row = this.#narrow(cells, name);
        if (row.length === 0) return;
        if (start !== undefined) writeRow(row);
        else if (first.push(row) === HEADER_SEARCH_ROWS) begin();
      },
      close: () => {
        if (start === undefined && first.length > 0) begin();
        if (start !== undefined) this.sheets.push({ name: cellText(name), start, end: this.#offset, header, rowStarts });
      },
    };
  }

  #narrow(cells: readonly string[], name: string): string[] {
    const { maxColumns, maxCells } = this.#limits;
    const row = cells.slice(0, maxColumns).map(cellText);
    while (row.length > 0 && row.at(-1) === '') row.pop();
    if (cells.length > maxColumns && cells.slice(maxColumns).some((cell) => cell.trim() !== '')) {
      this.warnings.add(`Sheet "${name}" has more than ${humanCount(maxColumns)} columns; the others were omitted.`);
    }
    this.#cells += row.length;
    if (this.#cells > maxCells)
      throw new ParseRejection('too-large', `The sheets have more than ${humanCount(maxCells)} cells, which is the maximum.`);
    return row;
  }

  #put(text: string): void {
    this.#parts.push(text);
    this.#offset += text.length;
    if (this.#offset > this.#limits.maxTextChars) {
      throw new ParseRejection(
        'too-large',
        `The sheets contain more than ${humanCount(this.#limits.maxTextChars)} characters of text, which is the maximum.`,
      );
    }
  }
}
