import { read, set_cptable, type CellObject, type WorkBook } from '@e965/xlsx';
import type { ZipContents } from '../detect/zip-contents.ts';
import type { Draft } from '../draft.ts';
import { ParseRejection } from '../parse-rejection.ts';
import type { ParserLimits } from '../parser-limits.ts';
import { damagedParts, SHEETS } from './damaged-parts.ts';
import { SheetWriter } from './sheet-writer.ts';

/** The maximum of spreadsheet programs. More rows are an attack or a mistake. */
const MAX_ROWS = 1_048_576;

async function open(bytes: Uint8Array, mediaType: string): Promise<WorkBook> {
  // Only old workbooks need code pages, whose tables are large.
  if (mediaType === 'application/vnd.ms-excel') set_cptable(await import('@e965/xlsx/dist/cpexcel.full.mjs'));
  try {
    return read(bytes, {
      type: 'array',
      dense: true,
      cellFormula: false,
      cellHTML: false,
      cellStyles: false,
      bookVBA: false,
      sheetRows: MAX_ROWS,
      dateNF: 'yyyy-mm-dd',
      UTC: true,
    });
  } catch (error) {
    if (/password|encrypt/i.test((error as Error).message))
      throw new ParseRejection('password', 'The workbook is protected by a password.');
    throw error;
  }
}

/** The displayed value (`12.5 %`, `2024-01-31`), or the raw value if the format is unknown. */
function shown(cell: CellObject | undefined): string {
  if (cell === undefined || cell.t === 'z') return '';
  if (cell.w !== undefined) return cell.w;
  return cell.v instanceof Date ? cell.v.toISOString().slice(0, 10) : String(cell.v ?? '');
}

/** Dense rows may have holes, so iterate over the keys: two cells far apart are two entries, not sixteen billion. */
function* rowsOf(sheet: { '!data'?: (CellObject | undefined)[][] }, maxColumns: number): Generator<string[]> {
  const rows = sheet['!data'] ?? [];
  for (const index of Object.keys(rows)) {
    const row = rows[Number(index)];
    if (row === undefined) continue;
    const cells: string[] = [];
    for (const column of Object.keys(row)) {
      const at = Math.min(Number(column), maxColumns);
      cells[at] = shown(row[Number(column)]);
    }
    yield Array.from(cells, (cell) => cell ?? '');
  }
}

/** Reads XLSX, XLSB, XLS and ODS: each sheet with its header line and its rows. Formulas give their last result. */
export async function readWorkbook(bytes: Uint8Array, mediaType: string, limits: ParserLimits, zip?: ZipContents): Promise<Draft> {
  const damaged = await damagedParts(zip, SHEETS);
  const book = await open(bytes, mediaType);
  const writer = new SheetWriter(limits);
  for (const name of book.SheetNames) {
    const sheet = writer.open(name);
    for (const row of rowsOf(book.Sheets[name] ?? {}, limits.maxColumns)) sheet.row(row);
    sheet.close();
  }
  const { Title: title, Author: author, Subject: subject, Keywords: keywords } = book.Props ?? {};
  return {
    kind: 'sheets',
    text: writer.text,
    mediaType,
    sheets: writer.sheets,
    metadata: { title, author, subject, keywords },
    secondTitle: title,
    warnings: [...damaged, ...writer.warnings],
    emptyDetail: 'The workbook has no filled cells.',
  };
}
