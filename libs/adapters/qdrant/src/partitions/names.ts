import { createHash } from 'node:crypto';

/** A UUID (version 8: custom) from a SHA-256 over the parts. The boundaries between the parts are unambiguous. */
export const uuidOf = (...parts: readonly string[]): string => {
  const bytes = createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
};

/** What a collection holds. The prefix of an installation contains no "_", so names of different installations never collide. */
export type CollectionKind = 'vectors' | 'lexical';

/**
 * Raised when what is stored must be written again from the log: nothing is known under the new names, and what was written under the
 * earlier ones is not read any more.
 */
export const FORMAT = 3;

export const namePrefix = (prefix: string, kind: CollectionKind): string => `${prefix}_${kind}-${FORMAT}_`;

/** `of`: what distinguishes it from others of its kind. The readable part is for people; the hash makes it unique. */
export const collectionName = (prefix: string, kind: CollectionKind, of: string): string => {
  const readable = of
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 60);
  return `${namePrefix(prefix, kind)}${readable}_${createHash('sha256').update(of).digest('hex').slice(0, 32)}`;
};

export const metaName = (prefix: string, kind: CollectionKind): string => `${prefix}_meta_${kind}-${FORMAT}`;

/** Whether an earlier version of this software wrote the collection, in a format of its own. The first ones had no number. */
export const isOfEarlierFormat = (prefix: string, kind: CollectionKind, name: string): boolean => {
  const match = new RegExp(`^${prefix}_(?:meta_${kind}(?:-(\\d+))?$|${kind}(?:-(\\d+))?_)`).exec(name);
  return match !== null && Number(match[1] ?? match[2] ?? 1) < FORMAT;
};
