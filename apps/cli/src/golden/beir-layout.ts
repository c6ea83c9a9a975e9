import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GoldenQueryLine } from '@palimpsest/client';
import { plainOrGzip, readLines, type Line } from '../evaluation/text-lines.ts';
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
  type PlacedQuery,
} from './judged-query.ts';

/**
 * The golden queries of a folder in BEIR's layout: `queries.jsonl`, and all files of judgements in `qrels`. The ids of the corpus are
 * sources of documents. `metadata.synthetic` marks a query that a model wrote.
 * @throws UsageError that names file, line and field
 */
export const readBeirFolder = async (folder: string): Promise<GoldenFile> => {
  const file = plainOrGzip(join(folder, 'queries.jsonl'));
  if (file === undefined) throw new UsageError(`${folder} is not in BEIR's layout: queries.jsonl (or queries.jsonl.gz) is missing`);
  const ids = new Set<string>();
  const records = (await readLines(file, 'queries.jsonl')).map((line) => ({ at: line.at, ...recordOf(line) }));
  for (const { at, id } of records) {
    if (ids.has(id)) throw invalid(at, '_id', 'an id that no other query has', id);
    ids.add(id);
  }
  const judgements = await readQrels(folder, ids);
  const queries = records.map(({ at, ...query }): PlacedQuery => ({ at, query: { ...query, judgements: judgements.of(query.id) } }));
  return asGoldenFile('queries.jsonl', queries);
};

const recordOf = ({ text: line, at }: Line): Readonly<{ id: string; text: string; synthetic: boolean }> => {
  const record = jsonOf(line);
  if (typeof record !== 'object' || record === null || Array.isArray(record))
    throw new UsageError(`${at}: expected a JSON object with _id and text`);
  const { _id: id, text, metadata = {} } = record as Readonly<Record<string, unknown>>;
  if (typeof id !== 'string' && typeof id !== 'number') throw invalid(at, '_id', 'an id', JSON.stringify(id) ?? 'nothing');
  if (typeof text !== 'string') throw invalid(at, 'text', 'a query', JSON.stringify(text) ?? 'nothing');
  const { synthetic = false } = (typeof metadata === 'object' ? (metadata ?? {}) : {}) as Readonly<Record<string, unknown>>;
  if (typeof synthetic !== 'boolean') throw invalid(at, 'metadata.synthetic', 'true or false', JSON.stringify(synthetic));
  return { id: idOf(at, '_id', String(id)), text: textOf(at, 'text', text), synthetic };
};

const jsonOf = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    // The position of the line matters more than the parser's message.
    return undefined;
  }
};

const readQrels = async (folder: string, ids: ReadonlySet<string>): Promise<JudgementTable> => {
  const names = existsSync(join(folder, 'qrels'))
    ? (await readdir(join(folder, 'qrels'))).filter((name) => /\.tsv(\.gz)?$/.test(name))
    : [];
  if (names.length === 0) throw new UsageError(`${folder} is not in BEIR's layout: qrels has no .tsv file (or .tsv.gz)`);
  const table = new JudgementTable({ source: 'corpus-id', grade: 'score' });
  for (const name of names.sort())
    for (const [index, line] of (await readLines(join(folder, 'qrels', name), `qrels/${name}`)).entries())
      addLine(table, ids, line, index === 0);
  return table;
};

const addLine = (table: JudgementTable, ids: ReadonlySet<string>, { text, at }: Line, isFirst: boolean): void => {
  const [id = '', source = '', grade = '', ...rest] = text.split('\t');
  // Most files begin with a heading.
  if (isFirst && grade !== '' && Number.isNaN(Number(grade))) return;
  if (grade === '' || rest.length > 0) throw new UsageError(`${at}: expected query-id, corpus-id and score, separated by tabs`);
  if (!ids.has(id)) throw invalid(at, 'query-id', 'a query of queries.jsonl', id);
  table.add(at, id, { ...documentOf(at, 'corpus-id', source), grade: gradeOf(at, 'score', grade.trim()) });
};

/** @throws UsageError if the layout cannot hold the queries */
export const writeBeirFolder = async (folder: string, queries: readonly GoldenQueryLine[]): Promise<void> => {
  const bases = basesOf(queries);
  if (bases.length > 1)
    throw new UsageError(
      `the set judges documents of several knowledge bases (${bases.join(', ')}), which BEIR's layout cannot name: export to a .csv file`,
    );
  const heading = 'query-id\tcorpus-id\tscore\n';
  const rows = queries.flatMap(({ id, judgements }) => judgements.map((judgement) => `${id}\t${nameOf(judgement)}\t${judgement.grade}\n`));
  const lines = queries.map(
    ({ id, text, synthetic }) => `${JSON.stringify({ _id: id, text, ...(synthetic ? { metadata: { synthetic } } : {}) })}\n`,
  );
  await mkdir(join(folder, 'qrels'), { recursive: true });
  await writeFile(join(folder, 'queries.jsonl'), lines.join(''), { flag: 'wx' });
  await writeFile(join(folder, 'qrels', 'test.tsv'), heading + rows.join(''), { flag: 'wx' });
};
