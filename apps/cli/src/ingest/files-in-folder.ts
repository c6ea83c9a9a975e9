import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { reasonToLeaveOut } from '@palimpsest/client';
import type { LeftOut, LeftOutReason } from '@palimpsest/client';
import { isGitIgnored } from 'globby';

/** Paths below the folder, with "/" between the names. */
export type FolderContents = Readonly<{ files: readonly string[]; leftOut: readonly LeftOut[] }>;

/**
 * The files of a folder and of those in it, without links, which could lead round in a circle, and without what .gitignore names. What the rule of
 * `reasonToLeaveOut` leaves out is reported, unless its reason is among those to `include`.
 */
export const filesInFolder = async (folder: string, include: ReadonlySet<LeftOutReason>): Promise<FolderContents> => {
  const ignored = await isGitIgnored({ cwd: folder, suppressErrors: true });
  const [files, leftOut]: [string[], LeftOut[]] = [[], []];
  const visit = async (inside: string): Promise<void> => {
    // What may not be read is as good as empty: its owner keeps it from us.
    for (const entry of await readdir(join(folder, inside), { withFileTypes: true }).catch(() => [])) {
      const path = `${inside}${entry.name}`;
      const isFolder = entry.isDirectory();
      if (!isFolder && !entry.isFile()) continue;
      const reason = reasonToLeaveOut(entry.name, isFolder ? 'folder' : 'file');
      if (reason !== undefined && !include.has(reason)) leftOut.push({ path, reason });
      else if (isFolder && !ignored(`${path}/`)) await visit(`${path}/`);
      else if (!isFolder && !ignored(path)) files.push(path);
    }
  };
  await visit('');
  return { files, leftOut };
};
