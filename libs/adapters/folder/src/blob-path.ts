import { join } from 'node:path';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import { blobKey, type BlobKey } from '@palimpsest/knowledge/ports';

/**
 * Returns the path of a key's file below the root. Each segment is a folder. The last segment is a file with an ending that no key can
 * contain, so that the blobs "a" and "a/b" do not conflict. Names never differ only in case, because some file systems ignore it: "Ab"
 * becomes "ab%2" (one bit per character, upper case = 1). ":" becomes "=".
 * They differ from `folderName` of `libs/foundation` and stay as they are, because they are on disk.
 * The longest segment (200 characters) gives a name of 255 bytes, the maximum of common file systems.
 */
export const blobPath = (root: string, key: BlobKey): string => {
  const names = key.split('/').map(nameOf);
  return `${join(root, ...names)}${FILE_ENDING}`;
};

/** Returns the folder that contains every key below `segments`. */
export const folderPath = (root: string, segments: readonly string[]): string => join(root, ...segments.map(nameOf));

/** Returns the segment for the name of a folder or file, or undefined when the store did not create that name. */
export const segmentOf = (name: string, kind: 'file' | 'folder'): string | undefined => {
  if (kind === 'file' && !name.endsWith(FILE_ENDING)) return undefined;
  const bare = kind === 'file' ? name.slice(0, -FILE_ENDING.length) : name;
  const [, lower, bits] = /^([a-z0-9._=@-]{1,200})(?:%([0-9a-f]+))?$/.exec(bare) ?? [];
  if (lower === undefined) return undefined;
  const segment = withUpperCase(lower, bits ?? '0').replaceAll('=', ':');
  return nameOf(segment) === bare ? segment : undefined;
};

/** Returns the segments of a listing prefix; none for "". A trailing "/" is allowed. @throws InvalidValue */
export const prefixSegments = (prefix: string): readonly string[] => {
  if (prefix === '') return [];
  if (prefix === '/') throw new InvalidValue('prefix', 'the start of a blob key, or an empty string', prefix);
  return blobKey(prefix.replace(/\/$/, '')).split('/');
};

const FILE_ENDING = '~bin';

const nameOf = (segment: string): string => {
  const lower = segment.toLowerCase().replaceAll(':', '=');
  const bits = [...segment].map((character) => (/[A-Z]/.test(character) ? '1' : '0')).join('');
  return bits.includes('1') ? `${lower}%${BigInt(`0b${bits}`).toString(16)}` : lower;
};

const withUpperCase = (lower: string, hexBits: string): string => {
  const bits = BigInt(`0x${hexBits}`).toString(2).padStart(lower.length, '0');
  return [...lower].map((character, i) => (bits[i] === '1' ? character.toUpperCase() : character)).join('');
};
