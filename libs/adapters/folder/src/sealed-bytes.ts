import { createCipheriv, createDecipheriv, randomFillSync, type KeyObject } from 'node:crypto';

/**
 * AES-256-GCM: 1 byte format, what else the format puts in front of it, 12 bytes nonce, ciphertext, 16 bytes tag. Nonces are random, which is secure for up to 2^32 seals with
 * one key (NIST SP 800-38D, 8.3).
 */
const PLAIN_HEAD: Uint8Array = Uint8Array.of(1);
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';
const OPTIONS = { authTagLength: TAG_BYTES };

/**
 * `key` has 32 bytes (a KeyObject, because plain bytes would cost 15 µs more per call). `bound` must be the same when opening. `head`: the
 * format and what it puts in front of the nonce; `bound` says it, too.
 */
export const seal = (key: KeyObject, plain: Uint8Array, bound: Uint8Array, head = PLAIN_HEAD): Uint8Array => {
  const start = head.length + NONCE_BYTES;
  const sealed = new Uint8Array(start + plain.length + TAG_BYTES);
  sealed.set(head);
  const nonce = randomFillSync(sealed.subarray(head.length, start));
  const cipher = createCipheriv(CIPHER, key, nonce, OPTIONS).setAAD(bound);
  sealed.set(cipher.update(plain), start);
  cipher.final();
  sealed.set(cipher.getAuthTag(), start + plain.length);
  return sealed;
};

/** Returns the plain bytes, or undefined when the key, the bytes, `head` or `bound` differ in any way. */
export const openSealed = (key: KeyObject, sealed: Uint8Array, bound: Uint8Array, head = PLAIN_HEAD): Uint8Array | undefined => {
  const [start, end] = [head.length + NONCE_BYTES, sealed.length - TAG_BYTES];
  if (end < start || head.some((byte, i) => sealed[i] !== byte)) return undefined;
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(head.length, start), OPTIONS);
  decipher.setAAD(bound).setAuthTag(sealed.subarray(end));
  const plain = decipher.update(sealed.subarray(start, end));
  try {
    decipher.final();
  } catch {
    return undefined;
  }
  // a Uint8Array with its own memory: a Buffer may start at an odd offset of a shared pool, where a Float32Array cannot be created. Copied
  // only if it does: most are not in a pool, and index files have frames of megabytes
  return plain.byteLength === plain.buffer.byteLength ? new Uint8Array(plain.buffer) : new Uint8Array(plain);
};
