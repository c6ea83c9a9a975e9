import { Corrupt } from '@palimpsest/knowledge/errors';

const MAX_LENGTH = 255;

/**
 * A path of the hub, which other people chose: relative, with slashes, without a step upwards. Files are stored under names of our own; this
 * check keeps a hostile path out of addresses and messages, too.
 *
 * @throws Corrupt
 */
export const safePath = (path: string): string => {
  const parts = path.split('/');
  const isSafe =
    path.length <= MAX_LENGTH &&
    !/[\p{Cc}\p{Cf}\\:]/u.test(path) &&
    parts.every((part) => part !== '' && part !== '.' && part !== '..' && part === part.trim());
  if (!isSafe) throw new Corrupt(`the repository lists a file whose path is not allowed: ${JSON.stringify(path.slice(0, MAX_LENGTH))}`);
  return path;
};

/** The last part of a path. */
export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** The part of a path before its last one, with the slash; empty at the top. */
export const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);
