import { createCipheriv, createDecipheriv, randomFillSync, type KeyObject } from 'node:crypto';

/**
 * AES-256-GCM: 1 byte format (1), 12 bytes nonce, ciphertext, 16 bytes tag. Nonces are random, which is secure for up to 2^32 seals with
 * one key (NIST SP 800-38D, 8.3).
 */
const FORMAT = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + NONCE_BYTES;
const CIPHER = 'aes-256-gcm';
const OPTIONS = { authTagLength: TAG_BYTES };

/** `key` has 32 bytes (a KeyObject, because plain bytes would cost 15 µs more per call). `bound` must be the same when opening. */
export const seal = (key: KeyObject, plain: Uint8Array, bound: Uint8Array): Uint8Array => {
  const sealed = new Uint8Array(HEADER_BYTES + plain.length + TAG_BYTES);
  sealed[0] = FORMAT;
  const nonce = randomFillSync(sealed.subarray(1, HEADER_BYTES));
  const cipher = createCipheriv(CIPHER, key, nonce, OPTIONS).setAAD(bound);
  sealed.set(cipher.update(plain), HEADER_BYTES);
  cipher.final();
  sealed.set(cipher.getAuthTag(), HEADER_BYTES + plain.length);
  return sealed;
};

/** Returns the plain bytes, or undefined when the key, the bytes or `bound` differ in any way. */
export const openSealed = (key: KeyObject, sealed: Uint8Array, bound: Uint8Array): Uint8Array | undefined => {
  const end = sealed.length - TAG_BYTES;
  if (end < HEADER_BYTES || sealed[0] !== FORMAT) return undefined;
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(1, HEADER_BYTES), OPTIONS);
  decipher.setAAD(bound).setAuthTag(sealed.subarray(end));
  const plain = decipher.update(sealed.subarray(HEADER_BYTES, end));
  try {
    decipher.final();
  } catch {
    return undefined;
  }
  // a Uint8Array with its own memory: a Buffer may start at an odd offset of a shared pool, where a Float32Array cannot be created. Copied
  // only if it does: most are not in a pool, and index files have frames of megabytes
  return plain.byteLength === plain.buffer.byteLength ? new Uint8Array(plain.buffer) : new Uint8Array(plain);
};
