import { existsSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** This package: its `src` or `dist`, and its package.json. */
const PACKAGE = fileURLToPath(new URL('../../', import.meta.url));

const ancestorsOf = (folder: string): string[] => (dirname(folder) === folder ? [folder] : [folder, ...ancestorsOf(dirname(folder))]);

/**
 * The folders with the code of a parser process: this package, and each `node_modules` that Node searches for its imports. They end with
 * a separator, which the permission model requires to include all contents of a folder.
 */
export const codeFolders = (): readonly string[] => [
  PACKAGE,
  ...ancestorsOf(dirname(PACKAGE))
    .map((folder) => join(folder, `node_modules${sep}`))
    .filter((folder) => existsSync(folder)),
];
