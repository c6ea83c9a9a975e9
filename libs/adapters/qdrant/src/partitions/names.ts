import { createHash } from 'node:crypto';

/** A UUID (version 8: made by rules of our own) out of a SHA-256 over the parts, which cannot run into each other. */
export const uuidOf = (...parts: readonly string[]): string => {
  const bytes = createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
};

/** What a collection holds. No prefix of an installation holds a "_", so that the names of two never run into each other. */
export type CollectionKind = 'vectors' | 'lexical';

export const namePrefix = (prefix: string, kind: CollectionKind): string => `${prefix}_${kind}_`;

/** `of`: what makes it different from others of its kind; the readable part is for people, the hash tells them apart. */
export const collectionName = (prefix: string, kind: CollectionKind, of: string): string => {
  const readable = of.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-').slice(0, 60);
  return `${namePrefix(prefix, kind)}${readable}_${createHash('sha256').update(of).digest('hex').slice(0, 32)}`;
};

/** Raised when what a store holds has to be written from the log again: nothing is known then of how far it has come. */
const FORM: Readonly<Record<CollectionKind, string>> = { vectors: '-2', lexical: '' };

export const metaName = (prefix: string, kind: CollectionKind): string => `${prefix}_meta_${kind}${FORM[kind]}`;
