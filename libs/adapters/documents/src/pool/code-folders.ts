import { existsSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** This package: its `src` or `dist`, and its package.json. */
const PACKAGE = fileURLToPath(new URL('../../', import.meta.url));

const ancestorsOf = (folder: string): string[] => (dirname(folder) === folder ? [folder] : [folder, ...ancestorsOf(dirname(folder))]);

/**
 * The folders that hold the code of a parsing process: this package, and each `node_modules` in which Node looks for what it imports. They end
 * with a separator, as the permission model wants it for a folder with everything in it.
 */
export const codeFolders = (): readonly string[] => [
  PACKAGE,
  ...ancestorsOf(dirname(PACKAGE))
    .map((folder) => join(folder, `node_modules${sep}`))
    .filter((folder) => existsSync(folder)),
];
