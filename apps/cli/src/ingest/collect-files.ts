import { stat } from 'node:fs/promises';
import { basename, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { globby } from 'globby';
import { UsageError } from '../failure.ts';

/** `sourceId` is the name under which the server keeps the file: with "/" on every system. */
export type SourceFile = Readonly<{ path: string; sourceId: string }>;

/**
 * The files below the given paths, sorted by source id.
 * A folder gives its files as `<folder's own name>/<path inside>`, without what .gitignore excludes, hidden files,
 * node_modules and links. A file that is named itself is always taken; whether its content is of use, the server decides.
 * @throws UsageError for a path that is not there, or two files that would have the same source id
 */
export const collectFiles = async (paths: readonly string[], cwd: string): Promise<readonly SourceFile[]> => {
  const found = (await Promise.all(paths.map((path) => filesOf(resolve(cwd, path), path, cwd)))).flat();
  const files = [...new Map(found.map((file) => [file.path, file])).values()];
  refuseSameNames(files);
  return files.sort((a, b) => (a.sourceId < b.sourceId ? -1 : 1));
};

const filesOf = async (path: string, given: string, cwd: string): Promise<readonly SourceFile[]> => {
  const kind = await stat(path).catch(() => undefined);
  if (kind === undefined) throw new UsageError(`${given}: there is no such file or folder`);
  if (!kind.isDirectory()) return [{ path, sourceId: nameOfFile(path, cwd) }];
  const inside = await globby('**/*', {
    cwd: path,
    gitignore: true,
    dot: false,
    followSymbolicLinks: false,
    ignore: ['**/node_modules/**'],
    suppressErrors: true,
  });
  return inside.map((name) => ({ path: join(path, name), sourceId: `${basename(path)}/${name}` }));
};

/** The path from the working folder, or only the name of a file that lies elsewhere. */
const nameOfFile = (path: string, cwd: string): string => {
  const fromHere = relative(cwd, path);
  return fromHere.startsWith('..') || isAbsolute(fromHere) ? basename(path) : fromHere.split(sep).join('/');
};

const refuseSameNames = (files: readonly SourceFile[]): void => {
  const paths = new Map<string, string>();
  for (const { path, sourceId } of files) {
    const other = paths.get(sourceId);
    if (other !== undefined)
      throw new UsageError(`${other} and ${path} would both be called ${sourceId}: ingest them into different knowledge bases`);
    paths.set(sourceId, path);
  }
};
