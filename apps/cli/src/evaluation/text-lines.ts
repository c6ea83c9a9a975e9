import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { UsageError } from '../failure.ts';

/** A line of a text file that is not blank. `at` names file and line in errors. */
export type Line = Readonly<{ text: string; at: string }>;

/**
 * The text of a file, plain or as `.gz`.
 * @param name how errors name the file
 * @throws UsageError if the file cannot be read
 */
export const readText = async (file: string, name: string): Promise<string> => {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${name}: ${error.code === 'ENOENT' ? 'no such file' : error.message}`);
  });
  return (file.endsWith('.gz') ? unzipped(bytes, name) : bytes).toString('utf8');
};

/** The lines of such a file. @throws UsageError if the file cannot be read */
export const readLines = async (file: string, name: string): Promise<readonly Line[]> =>
  (await readText(file, name))
    .split(/\r?\n/)
    .flatMap((line, index) => (line.trim() === '' ? [] : [{ text: line, at: `${name} line ${index + 1}` }]));

const unzipped = (bytes: Buffer, name: string): Buffer => {
  try {
    return gunzipSync(bytes);
  } catch {
    throw new UsageError(`${name}: expected a gzip file, because its name ends with .gz`);
  }
};

/** The file itself, or the same name with `.gz`; `undefined` if neither exists. */
export const plainOrGzip = (file: string): string | undefined => [file, `${file}.gz`].find((each) => existsSync(each));
