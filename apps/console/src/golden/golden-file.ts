import { REQUEST_LIMITS, type GoldenQueryToImport } from '@palimpsest/client';
import { CsvError, parse } from 'csv-parse/browser/esm/sync';
import { derivedId } from './query-id.ts';

type Judgement = GoldenQueryToImport['judgements'][number];

/** A query with the lines of the file that it and its judgements come from. */
export type PlacedQuery = Readonly<{ line: number; query: GoldenQueryToImport; judgementLines: readonly number[] }>;
export type GoldenFile = Readonly<{ kind: 'csv' | 'lines'; queries: readonly PlacedQuery[] }>;

/** Something in the file is wrong: what was expected in which field of which line. */
export class FileError extends Error {
  readonly line: number;
  readonly field: string | undefined;

  constructor(line: number, field: string | undefined, expected: string) {
    super(expected);
    this.line = line;
    this.field = field;
  }
}

const REQUIRED = ['query', 'source', 'grade'] as const;
const COLUMNS: readonly string[] = [...REQUIRED, 'id', 'synthetic', 'knowledgeBase'];
/** How a file of the command line names a document that has no source. */
const DOCUMENT_ID = /^document-id:([0-9a-f]{32})$/;

/** Reads a file by its name: CSV as the command line writes it, or else lines of JSON. The server checks the rest. @throws FileError */
export const readGoldenFile = (name: string, text: string): GoldenFile => {
  const isCsv = /\.csv$/i.test(name);
  const queries = isCsv ? queriesOfCsv(text) : queriesOfLines(text);
  if (queries.length === 0) throw new FileError(1, undefined, 'at least one query with a judgement');
  return { kind: isCsv ? 'csv' : 'lines', queries };
};

const queriesOfLines = (text: string): readonly PlacedQuery[] =>
  text.split(/\r\n|\n|\r/).flatMap((json, index) => {
    if (json.trim() === '') return [];
    try {
      return [{ line: index + 1, query: JSON.parse(json) as GoldenQueryToImport, judgementLines: [] }];
    } catch {
      throw new FileError(index + 1, undefined, 'a query as JSON');
    }
  });

type Building = { line: number; id: string; text: string; synthetic: boolean; judgements: Map<string, Judgement & { line: number }> };

/** A row for each judgement. Rows with the same id belong to one query; without ids, those with the same text do. */
const queriesOfCsv = (text: string): readonly PlacedQuery[] => {
  const queries = new Map<string, Building>();
  for (const { line, cells } of rowsOf(text)) {
    const query = cells.get('query') ?? '';
    const synthetic = cells.get('synthetic') ?? '';
    if (query.trim() === '') throw new FileError(line, 'query', 'a query that is not empty');
    if (!['', 'true', 'false'].includes(synthetic)) throw new FileError(line, 'synthetic', 'true or false');
    const id = cells.get('id') || derivedId(query);
    const known = queries.get(id) ?? { line, id, text: query, synthetic: synthetic === 'true', judgements: new Map() };
    if (known.text !== query) throw new FileError(line, 'query', `the query that ${id} has in line ${known.line}`);
    if (known.synthetic !== (synthetic === 'true'))
      throw new FileError(line, 'synthetic', `the value that ${id} has in line ${known.line}`);
    addJudgement(known, line, cells);
    queries.set(id, known);
  }
  return [...queries.values()].map(({ line, judgements, ...query }) => {
    const judged = [...judgements.values()];
    const withoutLines = judged.map(({ line: _line, ...judgement }) => judgement);
    return { line, query: { ...query, judgements: withoutLines }, judgementLines: judged.map((judgement) => judgement.line) };
  });
};

const addJudgement = ({ judgements }: Building, line: number, cells: ReadonlyMap<string, string>): void => {
  const [source = '', base = '', raw = ''] = [cells.get('source'), cells.get('knowledgeBase'), cells.get('grade')?.trim()];
  const { grade: max } = REQUEST_LIMITS.golden;
  if (source === '') throw new FileError(line, 'source', 'the source of a document');
  if (!/^[0-9]{1,4}$/.test(raw) || Number(raw) > max) throw new FileError(line, 'grade', `a whole number from 0 to ${max}`);
  const grade = Number(raw);
  const [, documentId] = DOCUMENT_ID.exec(source) ?? [];
  const key = JSON.stringify([base, source]);
  const known = judgements.get(key);
  if (known !== undefined && known.grade !== grade)
    throw new FileError(line, 'grade', `one grade for each document: line ${known.line} has ${known.grade}`);
  if (known !== undefined) return;
  const document = documentId === undefined ? { source } : { documentId };
  judgements.set(key, { ...document, ...(base === '' ? {} : { knowledgeBase: base }), grade, line });
};

function* rowsOf(text: string): Generator<Readonly<{ line: number; cells: ReadonlyMap<string, string> }>> {
  const [first, ...rows] = recordsOf(text);
  const heading = first?.cells.map((column) => column.trim()) ?? [];
  const missing = REQUIRED.find((column) => !heading.includes(column));
  if (missing !== undefined) throw new FileError(1, missing, `a column of the heading, which needs ${REQUIRED.join(', ')}`);
  const unknown = heading.find((column, index) => !COLUMNS.includes(column) || heading.indexOf(column) !== index);
  if (unknown !== undefined) throw new FileError(1, unknown, `one of the columns ${COLUMNS.join(', ')}, each at most once`);
  for (const { line, cells } of rows) {
    if (cells.length !== heading.length) throw new FileError(line, undefined, `${heading.length} cells, not ${cells.length}`);
    yield { line, cells: new Map(heading.map((column, index) => [column, cells[index] ?? ''])) };
  }
}

/** `line`: where the record ends, as the command line says it. */
const recordsOf = (text: string): readonly Readonly<{ line: number; cells: readonly string[] }>[] => {
  try {
    const options = { bom: true, info: true, relax_column_count: true, skip_empty_lines: true } as const;
    const records = parse(text, options) as unknown as readonly Readonly<{
      record: readonly string[];
      info: Readonly<{ lines: number }>;
    }>[];
    return records.map(({ record, info }) => ({ line: info.lines, cells: record }));
  } catch (error) {
    throw error instanceof CsvError ? new FileError(Number(error['lines']), undefined, 'closed quotes') : error;
  }
};

/** Where in the file the server found something wrong. It counts the queries that were sent: `line 2.judgements[0].grade`. */
export const placeOf = ({ kind, queries }: GoldenFile, field: string): Readonly<{ line: number; field: string }> | undefined => {
  const [, number, path = ''] = /^line (\d+)\.(.+)$/.exec(field) ?? [];
  const placed = queries[Number(number) - 1];
  if (placed === undefined) return undefined;
  if (kind === 'lines') return { line: placed.line, field: path };
  const [, index, name] = /^judgements\[(\d+)\]\.(.+)$/.exec(path) ?? [];
  if (name === undefined) return { line: placed.line, field: path === 'text' ? 'query' : path };
  return { line: placed.judgementLines[Number(index)] ?? placed.line, field: name === 'documentId' ? 'source' : name };
};
