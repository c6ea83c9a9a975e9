import { parse } from 'csv-parse/sync';
import { cleanText } from '../clean-text.ts';
import type { Draft } from '../draft.ts';
import { humanSize } from '../human-size.ts';
import { ParseRejection } from '../parse-rejection.ts';
import type { ParserLimits } from '../parser-limits.ts';
import { SheetWriter } from './sheet-writer.ts';

/** A longer record means that a quote is never closed, or that the file is not a table. */
const LONGEST_RECORD = 1_000_000;
const DELIMITERS = [',', ';', '\t', '|'] as const;

/** The delimiter that splits most of the first lines into the same number of cells (more than one). */
export function delimiterOf(text: string, preferred?: string): string {
  const lines = text
    .slice(0, 64 * 1024)
    .split('\n')
    .slice(0, 20)
    .filter((line) => line.trim() !== '');
  const score = (delimiter: string): number => {
    // Quoted text does not count.
    const counts = lines.map((line) => line.replace(/"[^"]*"/g, '').split(delimiter).length - 1);
    const byDefault = counts[0] ?? 0;
    return byDefault === 0 ? 0 : counts.filter((count) => count === byDefault).length + byDefault / 1000;
  };
  const ranked = DELIMITERS.map((delimiter) => ({ delimiter, score: score(delimiter) })).sort((a, b) => b.score - a.score);
  const best = ranked[0];
  if (preferred !== undefined && score(preferred) > 0) return preferred;
  return best === undefined || best.score === 0 ? (preferred ?? ',') : best.delimiter;
}

/** Passes record by record to `onRecord`, without keeping them. Throws errors of the library and of `onRecord`. */
function readRecords(text: string, delimiter: string, quotes: boolean, onRecord: (cells: string[]) => void): void {
  parse(text, {
    delimiter,
    quote: quotes ? '"' : null,
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: LONGEST_RECORD,
    record_delimiter: '\n',
    on_record: (record: string[]) => {
      onRecord(record);
      return null;
    },
  });
}

/** Reads CSV and TSV as one sheet, named after the file. */
export function readDelimited(raw: string, mediaType: string, fileName: string | undefined, limits: ParserLimits): Draft {
  const text = cleanText(raw);
  const delimiter = delimiterOf(text, mediaType.includes('tab-separated') ? '\t' : undefined);
  const name =
    (fileName ?? '')
      .split(/[\\/]/)
      .at(-1)
      ?.replace(/\.[^.]*$/, '') ?? '';
  const warnings: string[] = [];
  const write = (quotes: boolean): SheetWriter => {
    const writer = new SheetWriter(limits);
    const sheet = writer.open(name);
    readRecords(text, delimiter, quotes, sheet.row);
    sheet.close();
    return writer;
  };
  let writer: SheetWriter;
  try {
    writer = write(true);
  } catch (error) {
    if (error instanceof ParseRejection) throw error;
    warnings.push('A quotation mark is never closed, so quotation marks were read as text.');
    try {
      writer = write(false);
    } catch (again) {
      if (again instanceof ParseRejection) throw again;
      throw new ParseRejection('too-large', `A line of the table is longer than ${humanSize(LONGEST_RECORD)}.`);
    }
  }
  return {
    kind: 'sheets',
    text: writer.text,
    mediaType,
    sheets: writer.sheets,
    warnings: [...warnings, ...writer.warnings],
    emptyDetail: 'The table has no filled cells.',
  };
}
