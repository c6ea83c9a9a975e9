import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { UsageError } from './failure.ts';

/** Writes a text to a file that does not exist yet. @throws UsageError if it exists, or its folder does not */
export const writeNewFile = async (path: string, text: string, mode?: number): Promise<void> => {
  await writeFile(path, text, { flag: 'wx', ...(mode === undefined ? {} : { mode }) }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') throw alreadyThere(path);
    throw error.code === 'ENOENT' ? new UsageError(`${path}: its folder does not exist`) : error;
  });
};

/** Writes a value as JSON to a file that does not exist yet, for its owner only. @throws UsageError if it exists */
export const writeNewJson = (path: string, value: unknown): Promise<void> =>
  writeNewFile(path, `${JSON.stringify(value, null, 2)}\n`, 0o600);

/** For commands that write several files at their end: refuses before the work. @throws UsageError if one exists, or is named twice */
export const checkNewFiles = (paths: readonly string[]): void => {
  for (const [at, path] of paths.entries()) {
    if (existsSync(path)) throw alreadyThere(path);
    if (paths.indexOf(path) !== at) throw new UsageError(`${path}: expected another file for each output`);
  }
};

const alreadyThere = (path: string): UsageError => new UsageError(`${path} exists; name another file`);
