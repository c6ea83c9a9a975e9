import { readBeir } from './beir-files.ts';
import { readCsv } from './csv-file.ts';
import { GoldenFileError, type GoldenFile, type TextFile } from './golden-file.ts';
import { readJsonLines } from './json-lines.ts';
import { jsonOf, linesOf } from './text-lines.ts';

/** Names without the `.gz` of a file that was unpacked. */
const isCsv = ({ name }: Readonly<{ name: string }>): boolean => /\.csv$/i.test(name);
const isQrels = ({ name }: Readonly<{ name: string }>): boolean => /\.tsv$/i.test(name);
/** The corpus of BEIR's layout: large, and of no use for golden queries. A page need not read it. */
export const isCorpus = ({ name }: Readonly<{ name: string }>): boolean => /^corpus\.jsonl(\.gz)?$/i.test(name);

/**
 * The golden queries of files that were chosen together: one CSV file, one file of lines of JSON, or `queries.jsonl` of BEIR's layout with
 * one or more files of `qrels`.
 * @throws GoldenFileError
 */
export const readChosenFiles = (chosen: readonly TextFile[]): GoldenFile => {
  const files = chosen.filter((file) => !isCorpus(file));
  const qrels = files.filter(isQrels);
  const [first, ...others] = files.filter((file) => !isQrels(file));
  if (qrels[0] && first === undefined) throw new GoldenFileError({ file: qrels[0].name }, 'queries.jsonl to be chosen together with it');
  if (first === undefined)
    throw new GoldenFileError({ file: chosen[0]?.name ?? 'the selection' }, 'a CSV file, lines of JSON, or the files of BEIR’s layout');
  if (others[0] || (qrels[0] && isCsv(first)))
    throw new GoldenFileError({ file: others[0]?.name ?? first.name }, 'one file, or queries.jsonl and the .tsv files of its judgements');
  if (qrels.length > 0) return readBeir({ queries: first, qrels: qrels.toSorted((a, b) => (a.name < b.name ? -1 : 1)) });
  if (isCsv(first)) return readCsv(first);
  if (isOfBeir(first)) throw new GoldenFileError({ file: first.name }, 'the .tsv files of its judgements to be chosen together with it');
  return readJsonLines(first);
};

/** Queries of BEIR's layout have their judgements in other files. */
const isOfBeir = (file: TextFile): boolean => {
  const [first] = linesOf(file);
  const query = first && jsonOf(first.text);
  return typeof query === 'object' && query !== null && '_id' in query;
};
