import type { Branded } from '../values/brand.ts';
import { InvalidValue } from '../errors.ts';

/** Segments of `[A-Za-z0-9._:@-]` joined by "/", none of them "." or "..": safe as a path and as an object key. */
export type BlobKey = Branded<string, 'BlobKey'>;

/** @throws InvalidValue */
export const blobKey = (raw: string): BlobKey => {
  const wrong = raw.length > 900 || raw.split('/').some((part) => !/^[A-Za-z0-9._:@-]{1,200}$/.test(part) || /^\.+$/.test(part));
  if (wrong) throw new InvalidValue('blob key', 'segments of letters, digits and "._:@-", separated by "/"', raw);
  return raw as BlobKey;
};

/**
 * Stores bytes by key. Promises, all checked by `describeBlobStore`:
 * - `put` resolves when the bytes are on disk; a reader sees the old or the new bytes, never a part of them;
 * - `putIfAbsent` lets exactly one of several concurrent writers win;
 * - `get` throws Corrupt instead of returning damaged bytes;
 * - `delete` of a missing key does nothing.
 */
export interface BlobStore {
  put(key: BlobKey, bytes: Uint8Array): Promise<void>;
  /** Returns whether it wrote the bytes. */
  putIfAbsent(key: BlobKey, bytes: Uint8Array): Promise<boolean>;
  get(key: BlobKey): Promise<Uint8Array | undefined>;
  exists(key: BlobKey): Promise<boolean>;
  delete(key: BlobKey): Promise<void>;
  /** Keys that start with `prefix` (at a "/" boundary, or all for ""), in no particular order. */
  list(prefix: string): AsyncIterable<BlobKey>;
}
