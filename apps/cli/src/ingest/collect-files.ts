import { stat } from 'node:fs/promises';
import { basename, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { mayHoldSecrets } from '@palimpsest/client';
import type { LeftOut, LeftOutReason } from '@palimpsest/client';
import { UsageError } from '../failure.ts';
import { filesInFolder } from './files-in-folder.ts';

/** `sourceId` identifies the file on the server, with "/" as the separator on every system. */
export type SourceFile = Readonly<{ path: string; sourceId: string }>;

/** `named`: the file was named itself, not only a folder that contains it. */
type FoundFile = SourceFile & Readonly<{ named: boolean }>;

/** Files to send, files that are left out, and files that may hold secrets but are sent because they were named. */
export type Collected = Readonly<{ files: readonly SourceFile[]; leftOut: readonly LeftOut[]; secrets: readonly string[] }>;

/**
 * The files below the given paths, sorted by source id.
 * A folder yields its files as `<folder's own name>/<path inside>`, without links, files that .gitignore excludes, and files that command
 * line and console leave out of folders (`reasonToLeaveOut`). A file that is named itself is always included; the server decides whether
 * it can be indexed.
 * @throws UsageError for a path that does not exist, or two files with the same source ID
 */
export const collectFiles = async (
  paths: readonly string[],
  cwd: string,
  include: ReadonlySet<LeftOutReason> = new Set(),
): Promise<Collected> => {
  const found = await Promise.all(paths.map((path) => filesOf(resolve(cwd, path), path, cwd, include)));
  // A file that is both inside a folder and named itself counts as named.
  const byPath = new Map(
    found
      .flatMap(({ files }) => files)
      .sort((a, b) => Number(a.named) - Number(b.named))
      .map((file) => [file.path, file]),
  );
  const files = [...byPath.values()];
  refuseSameNames(files);
  const leftOut = [...new Map(found.flatMap((each) => each.leftOut).map((one) => [one.path, one])).values()].filter(
    ({ path }) => !files.some(({ sourceId }) => sourceId === path),
  );
  return {
    files: files.map(({ path, sourceId }) => ({ path, sourceId })).sort(bySourceId),
    leftOut: leftOut.sort((a, b) => (a.path < b.path ? -1 : 1)),
    secrets: files
      .filter(({ named, path }) => named && mayHoldSecrets(basename(path)))
      .sort(bySourceId)
      .map(({ sourceId }) => sourceId),
  };
};

const bySourceId = (a: SourceFile, b: SourceFile): number => (a.sourceId < b.sourceId ? -1 : 1);

const filesOf = async (
  path: string,
  given: string,
  cwd: string,
  include: ReadonlySet<LeftOutReason>,
): Promise<Readonly<{ files: readonly FoundFile[]; leftOut: readonly LeftOut[] }>> => {
  const kind = await stat(path).catch(() => undefined);
  if (kind === undefined) throw new UsageError(`${given}: file or folder not found`);
  if (!kind.isDirectory()) return { files: [{ path, sourceId: nameOfFile(path, cwd), named: true }], leftOut: [] };
  const { files, leftOut } = await filesInFolder(path, include);
  const sourceIdOf = (inside: string): string => `${basename(path)}/${inside}`;
  return {
    files: files.map((inside) => ({ path: join(path, inside), sourceId: sourceIdOf(inside), named: false })),
    leftOut: leftOut.map(({ path: inside, reason }) => ({ path: sourceIdOf(inside), reason })),
  };
};

/** The path relative to the working folder, or only the name for a file outside of it. */
const nameOfFile = (path: string, cwd: string): string => {
  const fromHere = relative(cwd, path);
  return fromHere.startsWith('..') || isAbsolute(fromHere) ? basename(path) : fromHere.split(sep).join('/');
};

const refuseSameNames = (files: readonly SourceFile[]): void => {
  const paths = new Map<string, string>();
  for (const { path, sourceId } of files) {
    const other = paths.get(sourceId);
    if (other !== undefined)
      throw new UsageError(`${other} and ${path} would both have the source ID ${sourceId}: ingest them into different knowledge bases`);
    paths.set(sourceId, path);
  }
};
