import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes, type KeyObject } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export type ValueSeal = Readonly<{
  /** For the HMAC in keys. */
  keySecret: KeyObject;
  /** Nonce, AES-256-GCM of the value bound to its key, tag. With random nonces, safe for 2^32 values per secret. */
  seal: (key: string, value: Buffer) => Buffer;
  /** Undefined if it was not sealed with this key and secret. */
  open: (key: string, sealed: Buffer) => Buffer | undefined;
}>;

export const valueSeal = (secret: string): ValueSeal => {
  const derived = (purpose: string): KeyObject =>
    createSecretKey(new Uint8Array(hkdfSync('sha256', secret, '', `palimpsest embedding cache ${purpose}`, 32)));
  const valueKey = derived('values');
  return {
    keySecret: derived('keys'),
    seal: (key, value) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', valueKey, nonce).setAAD(Buffer.from(key));
      return Buffer.concat([nonce, cipher.update(value), cipher.final(), cipher.getAuthTag()]);
    },
    open: (key, sealed) => {
      if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined;
      const decipher = createDecipheriv('aes-256-gcm', valueKey, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(key)).setAuthTag(sealed.subarray(-TAG_BYTES));
      try {
        return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
      } catch {
        return undefined;
      }
    },
  };
};
