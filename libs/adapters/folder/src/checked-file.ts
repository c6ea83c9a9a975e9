import { createHash } from 'node:crypto';
import { writeSynced } from '@palimpsest/foundation';

/**
 * The file of a blob contains its bytes, then 4 bytes "PLB1", then the SHA-256 (32 bytes) of the bytes. The checksum is at the end
 * so that the bytes start at offset 0, where typed arrays of any width can be created on them.
 */
const MAGIC = Buffer.from('PLB1');
const TRAILER_BYTES = MAGIC.length + 32;

const digest = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

/** Writes a new file that only its owner can read, and waits until it is on disk. */
export const writeChecked = (path: string, bytes: Uint8Array): Promise<void> =>
  writeSynced(path, [bytes, Buffer.concat([MAGIC, digest(bytes)])], 'wx', 0o600);

/**
 * Returns the bytes of a file, or undefined when it does not exist. A file that looks damaged is read again up to two times: a secret is
 * overwritten after another file took its name, and a reader that opened it before must open the new file.
 */
export const readChecked = async (read: () => Promise<Buffer | undefined>): Promise<Uint8Array | 'damaged' | undefined> => {
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const content = await read();
    if (content === undefined) return undefined;
    const bytes = verified(content);
    if (bytes !== undefined) return bytes;
  }
  return 'damaged';
};

/** Returns undefined when the bytes do not match the checksum. */
const verified = (content: Buffer): Uint8Array | undefined => {
  const length = content.length - TRAILER_BYTES;
  if (length < 0) return undefined;
  const bytes = new Uint8Array(content.buffer, content.byteOffset, length);
  const trailer = content.subarray(length);
  if (!trailer.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  return trailer.subarray(MAGIC.length).equals(digest(bytes)) ? bytes : undefined;
};
