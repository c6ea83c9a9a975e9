import { stat } from 'node:fs/promises';
import { basename, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { mayHoldSecrets } from '@palimpsest/client';
import type { LeftOut, LeftOutReason } from '@palimpsest/client';
import { UsageError } from '../failure.ts';
import { filesInFolder } from './files-in-folder.ts';

/** `sourceId` is the name under which the server keeps the file: with "/" on every system. */
export type SourceFile = Readonly<{ path: string; sourceId: string }>;

/** `named`: on its own, and not by a folder that it is in. */
type FoundFile = SourceFile & Readonly<{ named: boolean }>;

/** What to send, what stays out of it, and what is sent only since it was named: files that may hold secrets. */
export type Collected = Readonly<{ files: readonly SourceFile[]; leftOut: readonly LeftOut[]; secrets: readonly string[] }>;

/**
 * The files below the given paths, sorted by source id.
 * A folder gives its files as `<folder's own name>/<path inside>`, without what .gitignore excludes, what command line and console leave out of
 * folders (`reasonToLeaveOut`), and links. A file that is named on its own is always taken; whether its content is of use, the server decides.
 * @throws UsageError for a path that is not there, or two files that would have the same source id
 */
export const collectFiles = async (paths: readonly string[], cwd: string, include: ReadonlySet<LeftOutReason> = new Set()): Promise<Collected> => {
  const found = await Promise.all(paths.map((path) => filesOf(resolve(cwd, path), path, cwd, include)));
  // A file that is in a folder and named as well is named.
  const byPath = new Map(found.flatMap(({ files }) => files).sort((a, b) => Number(a.named) - Number(b.named)).map((file) => [file.path, file]));
  const files = [...byPath.values()];
  refuseSameNames(files);
  const leftOut = [...new Map(found.flatMap((each) => each.leftOut).map((one) => [one.path, one])).values()].filter(({ path }) => !files.some(({ sourceId }) => sourceId === path));
  return {
    files: files.map(({ path, sourceId }) => ({ path, sourceId })).sort(bySourceId),
    leftOut: leftOut.sort((a, b) => (a.path < b.path ? -1 : 1)),
    secrets: files.filter(({ named, path }) => named && mayHoldSecrets(basename(path))).sort(bySourceId).map(({ sourceId }) => sourceId),
  };
};

const bySourceId = (a: SourceFile, b: SourceFile): number => (a.sourceId < b.sourceId ? -1 : 1);

const filesOf = async (path: string, given: string, cwd: string, include: ReadonlySet<LeftOutReason>): Promise<Readonly<{ files: readonly FoundFile[]; leftOut: readonly LeftOut[] }>> => {
  const kind = await stat(path).catch(() => undefined);
  if (kind === undefined) throw new UsageError(`${given}: there is no such file or folder`);
  if (!kind.isDirectory()) return { files: [{ path, sourceId: nameOfFile(path, cwd), named: true }], leftOut: [] };
  const { files, leftOut } = await filesInFolder(path, include);
  const called = (inside: string): string => `${basename(path)}/${inside}`;
  return {
    files: files.map((inside) => ({ path: join(path, inside), sourceId: called(inside), named: false })),
    leftOut: leftOut.map(({ path: inside, reason }) => ({ path: called(inside), reason })),
  };
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
