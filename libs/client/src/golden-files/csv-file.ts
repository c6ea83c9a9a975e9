import { CsvError, parse } from 'csv-parse/browser/esm/sync';
import { derivedId } from './derived-id.ts';
import { GoldenFileError, type GoldenFile, type Place, type TextFile } from './golden-file.ts';
import { asGoldenFile, documentOf, gradeOf, idOf, invalid, JudgementTable, textOf } from './judged-query.ts';

/** Columns of a CSV file of golden queries. */
export const REQUIRED_COLUMNS = ['query', 'source', 'grade'] as const;
const COLUMNS: readonly string[] = [...REQUIRED_COLUMNS, 'id', 'synthetic', 'knowledgeBase'];

type Row = Readonly<{ at: Place; cells: ReadonlyMap<string, string> }>;
type Head = Readonly<{ at: Place; id: string; text: string; synthetic: boolean }>;

/**
 * The golden queries of a CSV file with a heading: a row for each judgement. Rows with the same `id` belong to one query; without ids, those
 * with the same text do.
 * @throws GoldenFileError
 */
export const readCsv = (file: TextFile): GoldenFile => {
  const heads = new Map<string, Head>();
  const table = new JudgementTable({ source: 'source', grade: 'grade' });
  for (const { at, cells } of rowsOf(file)) {
    const text = textOf(at, 'query', cells.get('query') ?? '');
    const given = cells.get('id') ?? '';
    const id = given === '' ? derivedId(text) : idOf(at, 'id', given);
    const synthetic = flagOf(at, cells.get('synthetic') ?? '');
    const head = heads.get(id) ?? { at, id, text, synthetic };
    const first = `${head.at.file} line ${head.at.line}`;
    if (head.text !== text) throw invalid(at, 'query', `the query that ${id} has in ${first}`, text);
    if (head.synthetic !== synthetic) throw invalid(at, 'synthetic', `the value that ${id} has in ${first}`, String(synthetic));
    heads.set(id, head);
    const base = cells.get('knowledgeBase') ?? '';
    const document = documentOf(at, 'source', cells.get('source') ?? '');
    const grade = gradeOf(at, 'grade', cells.get('grade') ?? '');
    table.add(at, id, { ...document, ...(base === '' ? {} : { knowledgeBase: base }), grade });
  }
  const queries = [...heads.values()].map(({ at, ...query }) => table.judged(at, query));
  return asGoldenFile('csv', file.name, queries);
};

const flagOf = (at: Place, raw: string): boolean => {
  if (!['', 'true', 'false'].includes(raw)) throw invalid(at, 'synthetic', 'true or false', raw);
  return raw === 'true';
};

function* rowsOf(file: TextFile): Generator<Row> {
  const [first, ...rest] = recordsOf(file);
  const heading = first?.cells.map((column) => column.trim()) ?? [];
  const at = { file: file.name, line: 1 };
  const missing = REQUIRED_COLUMNS.find((column) => !heading.includes(column));
  if (missing !== undefined) throw invalid(at, missing, `a heading with the columns ${REQUIRED_COLUMNS.join(', ')}`, heading.join(','));
  const unknown = heading.find((column, index) => !COLUMNS.includes(column) || heading.indexOf(column) !== index);
  if (unknown !== undefined) throw invalid(at, unknown, `each of the columns ${COLUMNS.join(', ')} at most once`, heading.join(','));
  for (const { line, cells } of rest) {
    const place = { file: file.name, line };
    if (cells.length !== heading.length) throw new GoldenFileError(place, `${heading.length} cells, got ${cells.length}`);
    yield { at: place, cells: new Map(heading.map((column, index) => [column, cells[index] ?? ''])) };
  }
}

type CsvRecord = Readonly<{ record: readonly string[]; info: Readonly<{ lines: number }> }>;

/** `line`: where the record ends. */
const recordsOf = ({ name, text }: TextFile): readonly Readonly<{ line: number; cells: readonly string[] }>[] => {
  try {
    const options = { bom: true, info: true, relax_column_count: true, skip_empty_lines: true } as const;
    const records = parse(text, options) as unknown as readonly CsvRecord[];
    return records.map(({ record, info }) => ({ line: info.lines, cells: record }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new GoldenFileError({ file: name, line: Number(error['lines']) }, 'CSV with closed quotes');
  }
};
