import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { Corrupt } from '@palimpsest/knowledge/errors';
import type { ScopeCipher } from '@palimpsest/knowledge/ports';

/** Real sealing with one key in memory. The ciphers of the adapters have their own contract kit. */
export const aCipher = (key: Uint8Array = randomBytes(32)): ScopeCipher => {
  return {
    seal: (plain, context) => {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
      return Buffer.concat([Buffer.of(1), nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    open: (sealed, context) => {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, 13))
        .setAAD(Buffer.from(context))
        .setAuthTag(sealed.subarray(-16));
      try {
        return Buffer.concat([decipher.update(sealed.subarray(13, -16)), decipher.final()]);
      } catch (cause) {
        throw new Corrupt('does not open', { cause });
      }
    },
    digest: (content, purpose) =>
      createHmac('sha256', key)
        .update(`${JSON.stringify(purpose)}\n`)
        .update(content)
        .digest('hex'),
    derived: (purpose) => aCipher(createHmac('sha256', key).update(purpose).digest()),
  };
};

/** The key that sealed the golden files. */
export const goldenCipher = aCipher(Buffer.alloc(32, 'golden'));
