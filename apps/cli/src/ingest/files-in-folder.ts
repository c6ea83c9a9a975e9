import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { reasonToLeaveOut } from '@palimpsest/client';
import type { LeftOut, LeftOutReason } from '@palimpsest/client';
import { isGitIgnored } from 'globby';

/** Paths below the folder, with "/" between the names. */
export type FolderContents = Readonly<{ files: readonly string[]; leftOut: readonly LeftOut[] }>;

/**
 * The files of a folder and its subfolders, without links, which could form a cycle, and without what .gitignore names. Files that
 * `reasonToLeaveOut` leaves out are reported, unless their reason is in `include`.
 */
export const filesInFolder = async (folder: string, include: ReadonlySet<LeftOutReason>): Promise<FolderContents> => {
  const ignored = await isGitIgnored({ cwd: folder, suppressErrors: true });
  const [files, leftOut]: [string[], LeftOut[]] = [[], []];
  const visit = async (inside: string): Promise<void> => {
    // A folder that we may not read counts as empty.
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
