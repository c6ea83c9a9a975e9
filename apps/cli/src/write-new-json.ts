import { writeFile } from 'node:fs/promises';
import { UsageError } from './failure.ts';

/** Writes a value as JSON to a file that does not exist yet, for its owner only. @throws UsageError if it exists */
export const writeNewJson = async (path: string, value: unknown): Promise<void> => {
  await writeFile(path, `${JSON.stringify(value, null, 2)}\n`, { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? new UsageError(`${path} exists; name another file`) : error;
  });
};
