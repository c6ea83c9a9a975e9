import { GoldenFileError, type GoldenFile, type Place, type TextFile } from './golden-file.ts';
import { asGoldenFile, documentOf, gradeOf, idOf, invalid, JudgementTable, textOf } from './judged-query.ts';
import { jsonOf, linesOf } from './text-lines.ts';

/** The files of BEIR's layout without the corpus: `queries.jsonl`, and those of `qrels`. */
export type BeirFiles = Readonly<{ queries: TextFile; qrels: readonly TextFile[] }>;

/**
 * The golden queries of files in BEIR's layout. The ids of the corpus are sources of documents. `metadata.synthetic` marks a query that a
 * model wrote.
 * @throws GoldenFileError
 */
export const readBeir = ({ queries, qrels }: BeirFiles): GoldenFile => {
  const records = linesOf(queries).map(({ at, text }) => ({ at, ...recordOf(at, text) }));
  const ids = new Set<string>();
  for (const { at, id } of records) {
    if (ids.has(id)) throw invalid(at, '_id', 'an id that no other query has', id);
    ids.add(id);
  }
  const table = new JudgementTable({ source: 'corpus-id', grade: 'score' });
  for (const file of qrels)
    for (const [index, { at, text }] of linesOf(file).entries()) {
      const columns = columnsOf(at, text, index === 0);
      if (columns === undefined) continue;
      const [id, source, score] = columns;
      if (!ids.has(id)) throw invalid(at, 'query-id', `a query of ${queries.name}`, id);
      table.add(at, id, { ...documentOf(at, 'corpus-id', source), grade: gradeOf(at, 'score', score) });
    }
  return asGoldenFile(
    'beir',
    queries.name,
    records.map(({ at, ...query }) => table.judged(at, query)),
  );
};

const recordOf = (at: Place, line: string): Readonly<{ id: string; text: string; synthetic: boolean }> => {
  const record = jsonOf(line);
  if (typeof record !== 'object' || record === null || Array.isArray(record))
    throw new GoldenFileError(at, 'a JSON object with _id and text');
  const { _id: id, text, metadata = {} } = record as Readonly<Record<string, unknown>>;
  if (typeof id !== 'string' && typeof id !== 'number') throw invalid(at, '_id', 'an id', JSON.stringify(id) ?? 'nothing');
  if (typeof text !== 'string') throw invalid(at, 'text', 'a query', JSON.stringify(text) ?? 'nothing');
  const { synthetic = false } = (typeof metadata === 'object' ? (metadata ?? {}) : {}) as Readonly<Record<string, unknown>>;
  if (typeof synthetic !== 'boolean') throw invalid(at, 'metadata.synthetic', 'true or false', JSON.stringify(synthetic));
  return { id: idOf(at, '_id', String(id)), text: textOf(at, 'text', text), synthetic };
};

/** Undefined for the heading, with which most files begin. */
const columnsOf = (at: Place, line: string, isFirst: boolean): readonly [id: string, source: string, score: string] | undefined => {
  const [id = '', source = '', score = '', ...rest] = line.split('\t');
  if (isFirst && score !== '' && Number.isNaN(Number(score))) return undefined;
  if (score === '' || rest.length > 0) throw new GoldenFileError(at, 'query-id, corpus-id and score, separated by tabs');
  return [id, source, score];
};
