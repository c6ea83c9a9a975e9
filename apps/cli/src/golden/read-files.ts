import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { GoldenFileError, readBeir, readCsv, type GoldenFile, type TextFile } from '@palimpsest/client/golden-files';
import { plainOrGzip, readText } from '../evaluation/text-lines.ts';
import { UsageError } from '../failure.ts';

/**
 * The golden queries of a CSV file, or of a folder in BEIR's layout: `queries.jsonl`, and all files of judgements in `qrels`, plain or as
 * `.gz`.
 * @throws UsageError that names file, line and field
 */
export const readGolden = async (path: string): Promise<GoldenFile> => {
  const isFolder = (await stat(path).catch(() => undefined))?.isDirectory() === true;
  if (!isFolder && !path.endsWith('.csv')) throw new UsageError(`${path}: expected a folder in BEIR's layout or a .csv file`);
  try {
    if (isFolder) return readBeir(await filesOf(path));
    return readCsv(await textFile(path, basename(path)));
  } catch (error) {
    throw error instanceof GoldenFileError ? new UsageError(error.message) : error;
  }
};

const filesOf = async (folder: string) => {
  const queries = plainOrGzip(join(folder, 'queries.jsonl'));
  if (queries === undefined) throw new UsageError(`${folder} is not in BEIR's layout: queries.jsonl (or queries.jsonl.gz) is missing`);
  const names = existsSync(join(folder, 'qrels'))
    ? (await readdir(join(folder, 'qrels'))).filter((name) => /\.tsv(\.gz)?$/.test(name))
    : [];
  if (names.length === 0) throw new UsageError(`${folder} is not in BEIR's layout: qrels has no .tsv file (or .tsv.gz)`);
  return {
    queries: await textFile(queries, 'queries.jsonl'),
    qrels: await Promise.all(names.sort().map((name) => textFile(join(folder, 'qrels', name), `qrels/${name}`))),
  };
};

const textFile = async (path: string, name: string): Promise<TextFile> => ({ name, text: await readText(path, name) });
