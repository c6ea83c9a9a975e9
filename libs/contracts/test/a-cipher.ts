import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { Corrupt, type ScopeCipher } from '@palimpsest/knowledge';

/** Real sealing under one key that lies here; the adapters' own ciphers have their contract kit. */
export const aCipher = (): ScopeCipher => {
  const key = randomBytes(32);
  return {
    seal: (plain, context) => {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
      return Buffer.concat([Buffer.of(1), nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    open: (sealed, context) => {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, 13)).setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(-16));
      try {
        return Buffer.concat([decipher.update(sealed.subarray(13, -16)), decipher.final()]);
      } catch (cause) {
        throw new Corrupt('does not open', { cause });
      }
    },
  };
};
