import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { Conflict } from '@palimpsest/knowledge/errors';
import type { ExpectedFile } from './file-digest.ts';

/** The bytes of these files, as far as the hub states them. */
export const bytesOf = (files: ReadonlyMap<string, ExpectedFile>, paths: readonly string[]): number =>
  [...new Set(paths)].reduce((sum, path) => sum + (files.get(path)?.size ?? 0), 0);

/**
 * Checks a download before it starts.
 * @param folder may contain parts of an earlier run
 * @throws Conflict if it is larger than allowed, or than the free space
 */
export const checkRoom = async (bytes: number, maxBytes: number, folder: string): Promise<void> => {
  if (bytes > maxBytes) throw new Conflict(`the files have ${bytes} bytes, and at most ${maxBytes} are allowed: raise --max-size`);
  const { bavail, bsize } = await statfs(folder);
  const missing = bytes - (await bytesIn(folder));
  if (missing > bavail * bsize) throw new Conflict(`${missing} bytes are needed, and the disk of ${folder} has ${bavail * bsize} free`);
};

const bytesIn = async (folder: string): Promise<number> => {
  const sizes = await Promise.all((await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
};
