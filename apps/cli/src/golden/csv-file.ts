import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { GoldenQueryLine } from '@palimpsest/client';
import { CsvError, parse } from 'csv-parse/sync';
import { UsageError } from '../failure.ts';
import {
  asGoldenFile,
  basesOf,
  documentOf,
  gradeOf,
  idOf,
  invalid,
  JudgementTable,
  nameOf,
  textOf,
  type GoldenFile,
} from './judged-query.ts';

const REQUIRED = ['query', 'source', 'grade'] as const;
const OPTIONAL = ['id', 'synthetic', 'knowledgeBase'] as const;
const COLUMNS: readonly string[] = [...REQUIRED, ...OPTIONAL];
type Row = Readonly<{ at: string; cells: ReadonlyMap<string, string> }>;
type Head = Readonly<{ at: string; id: string; text: string; synthetic: boolean }>;

/**
 * The golden queries of a CSV file with a heading: a row for each judgement. Rows with the same `id` belong to one query; without the column,
 * those with the same text do.
 * @throws UsageError that names file, line and field
 */
export const readCsvFile = async (path: string): Promise<GoldenFile> => {
  const name = basename(path);
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${name}: ${error.code === 'ENOENT' ? 'no such file' : error.message}`);
  });
  const heads = new Map<string, Head>();
  const table = new JudgementTable({ source: 'source', grade: 'grade' });
  for (const { at, cells } of rowsOf(bytes, name)) {
    const text = textOf(at, 'query', cells.get('query') ?? '');
    const given = cells.get('id') ?? '';
    const id = given === '' ? derivedId(text) : idOf(at, 'id', given);
    const synthetic = flagOf(at, cells.get('synthetic') ?? '');
    const head = heads.get(id) ?? { at, id, text, synthetic };
    if (head.text !== text) throw invalid(at, 'query', `the query that ${id} has in ${head.at}`, text);
    if (head.synthetic !== synthetic) throw invalid(at, 'synthetic', `the value that ${id} has in ${head.at}`, String(synthetic));
    heads.set(id, head);
    const base = cells.get('knowledgeBase') ?? '';
    const document = documentOf(at, 'source', cells.get('source') ?? '');
    const grade = gradeOf(at, 'grade', (cells.get('grade') ?? '').trim());
    table.add(at, id, { ...document, ...(base === '' ? {} : { knowledgeBase: base }), grade });
  }
  return asGoldenFile(
    name,
    [...heads.values()].map(({ at, ...query }) => ({ at, query: { ...query, judgements: table.of(query.id) } })),
  );
};

/** The same for the same text, so that a file without ids can be imported again. */
const derivedId = (text: string): string => `q-${createHash('sha256').update(text).digest('hex').slice(0, 12)}`;

const flagOf = (at: string, raw: string): boolean => {
  if (!['', 'true', 'false'].includes(raw)) throw invalid(at, 'synthetic', 'true or false', raw);
  return raw === 'true';
};

function* rowsOf(bytes: Buffer, name: string): Generator<Row> {
  const [first, ...rest] = recordsOf(bytes, name);
  const heading = first?.record.map((column) => column.trim()) ?? [];
  const at = `${name} line 1`;
  const missing = REQUIRED.find((column) => !heading.includes(column));
  if (missing !== undefined) throw invalid(at, missing, `a heading with the columns ${REQUIRED.join(', ')}`, heading.join(','));
  const unknown = heading.find((column, index) => !COLUMNS.includes(column) || heading.indexOf(column) !== index);
  if (unknown !== undefined) throw invalid(at, unknown, `each of the columns ${COLUMNS.join(', ')} at most once`, heading.join(','));
  for (const { record, info } of rest) {
    const place = `${name} line ${info.lines}`;
    if (record.length !== heading.length) throw new UsageError(`${place}: expected ${heading.length} cells, got ${record.length}`);
    yield { at: place, cells: new Map(heading.map((column, index) => [column, record[index] ?? ''])) };
  }
}

type CsvRecord = Readonly<{ record: readonly string[]; info: Readonly<{ lines: number }> }>;

const recordsOf = (bytes: Buffer, name: string): readonly CsvRecord[] => {
  try {
    return parse(bytes, { bom: true, info: true, relax_column_count: true, skip_empty_lines: true }) as unknown as readonly CsvRecord[];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new UsageError(`${name} line ${String(error['lines'])}: expected CSV with closed quotes`);
  }
};

export const writeCsvFile = async (path: string, queries: readonly GoldenQueryLine[]): Promise<void> => {
  const columns = [...REQUIRED, 'id', 'synthetic', ...(basesOf(queries).length > 1 ? ['knowledgeBase'] : [])];
  const rows = queries.flatMap(({ id, text, synthetic, judgements }) =>
    judgements.map((judgement) => {
      const cells = [text, nameOf(judgement), String(judgement.grade), id, String(synthetic), judgement.knowledgeBase ?? ''];
      return cells.slice(0, columns.length).map(quoted).join(',');
    }),
  );
  await writeFile(path, [columns.join(','), ...rows].map((row) => `${row}\n`).join(''), { flag: 'wx' });
};

const quoted = (cell: string): string => (/[",\r\n]|^\s|\s$|^$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
