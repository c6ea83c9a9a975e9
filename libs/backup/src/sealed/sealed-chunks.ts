import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto';

/**
 * AES-256-GCM in chunks, as in STREAM (Hoang, Reyhanitabar, Rogaway, Vizár 2015): the nonce is the chunk's number (11 bytes,
 * big-endian) and a byte that says whether it is the last. So a chunk that was moved, omitted or repeated does not open, nor
 * does a file that was truncated at the end of a chunk. The nonces are safe because every file has its own key.
 */
export const CHUNK_BYTES = 256 * 1024;
export const TAG_BYTES = 16;

const CIPHER = 'aes-256-gcm';

export const chunkKey = (key: Uint8Array): KeyObject => createSecretKey(key);

const nonceOf = (index: number, last: boolean): Buffer => {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(index, 5, 6); // up to 2^48 chunks; the last byte is the flag
  nonce[11] = last ? 1 : 0;
  return nonce;
};

export const sealChunk = (key: KeyObject, index: number, last: boolean, plain: Uint8Array): Buffer => {
  const cipher = createCipheriv(CIPHER, key, nonceOf(index, last), { authTagLength: TAG_BYTES });
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
};

/** The plain bytes, or undefined when anything differs from what was sealed at this position. */
export const openChunk = (key: KeyObject, index: number, last: boolean, sealed: Uint8Array): Buffer | undefined => {
  if (sealed.length < TAG_BYTES) return undefined;
  const end = sealed.length - TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, key, nonceOf(index, last), { authTagLength: TAG_BYTES }).setAuthTag(sealed.subarray(end));
  const plain = decipher.update(sealed.subarray(0, end));
  try {
    decipher.final();
    return plain;
  } catch {
    return undefined;
  }
};
