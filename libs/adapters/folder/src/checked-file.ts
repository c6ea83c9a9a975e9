import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

/**
 * A blob's file is its bytes, then 4 bytes "PLB1", then the SHA-256 (32 bytes) of the bytes. The check stands at the end
 * so that the bytes start at offset 0, where typed arrays of any width may lie over them.
 */
const MAGIC = Buffer.from('PLB1');
const TRAILER_BYTES = MAGIC.length + 32;

const digest = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

/** Writes a new file that only its owner may read, and waits until it is on disk. */
export const writeChecked = async (path: string, bytes: Uint8Array): Promise<void> => {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.writeFile(Buffer.concat([MAGIC, digest(bytes)]));
    await file.sync();
  } finally {
    await file.close();
  }
};

/**
 * The bytes of a file, undefined when there is none. What looks damaged is read again, twice: a secret is overwritten
 * after its file lost its name to another, and who had it open before must look again by name.
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

/** Undefined when they are not the bytes that were written. */
const verified = (content: Buffer): Uint8Array | undefined => {
  const length = content.length - TRAILER_BYTES;
  if (length < 0) return undefined;
  const bytes = new Uint8Array(content.buffer, content.byteOffset, length);
  const trailer = content.subarray(length);
  if (!trailer.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  return trailer.subarray(MAGIC.length).equals(digest(bytes)) ? bytes : undefined;
};
