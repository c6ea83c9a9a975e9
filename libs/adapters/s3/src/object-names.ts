import { InvalidValue } from '@palimpsest/knowledge/errors';
import { blobKey, type BlobKey } from '@palimpsest/knowledge/ports';

/**
 * The end of every object's name. No key contains a "~", so keys and names correspond one to one, and no blob has the name that another one
 * needs for a folder: gateways over file systems cannot store both "a" and "a/b".
 */
const ENDING = '~bin';

export const objectName = (prefix: string, key: BlobKey): string => `${prefix}${key}${ENDING}`;

/** Undefined for an object that this store did not write. */
export const keyOf = (prefix: string, name: string): BlobKey | undefined => {
  if (!name.startsWith(prefix) || !name.endsWith(ENDING)) return undefined;
  try {
    return blobKey(name.slice(prefix.length, -ENDING.length));
  } catch {
    return undefined;
  }
};

/** The request for a listing of `prefix`: a blob with exactly this name, if it is valid, and all names below it. @throws InvalidValue */
export const listingOf = (prefix: string): Readonly<{ self: BlobKey | undefined; below: string }> => {
  if (prefix === '') return { self: undefined, below: '' };
  if (prefix === '/') throw new InvalidValue('prefix', 'the beginning of a blob key, or an empty string', prefix);
  const bare = blobKey(prefix.replace(/\/$/, ''));
  return { self: prefix.endsWith('/') ? undefined : bare, below: `${bare}/` };
};
