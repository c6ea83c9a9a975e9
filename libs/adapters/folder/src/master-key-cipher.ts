import { createSecretKey, hkdfSync } from 'node:crypto';
import { Corrupt, InvalidValue } from '@palimpsest/knowledge/errors';
import type { ScopeCipher } from '@palimpsest/knowledge/ports';
import { openSealed, seal } from './sealed-bytes.ts';

/**
 * Seals what belongs to no scope, with a key that is derived from the master key (HKDF-SHA-256, RFC 5869): no erasure destroys it.
 * `masterKey`: 32 bytes. @throws InvalidValue
 */
export const masterKeyCipher = (masterKey: Uint8Array): Pick<ScopeCipher, 'seal' | 'open'> => {
  if (masterKey.length !== 32) throw new InvalidValue('masterKey', '32 bytes', `${masterKey.length} bytes`);
  const key = createSecretKey(new Uint8Array(hkdfSync('sha256', masterKey, '', 'palimpsest installation key 1', 32)));
  const bound = (context: string): Buffer => Buffer.from(JSON.stringify(['installation', 1, context]));
  return {
    seal: (plain, context) => seal(key, plain, bound(context)),
    open: (sealed, context) => {
      const plain = openSealed(key, sealed, bound(context));
      if (plain === undefined) throw new Corrupt(`sealed bytes of "${context}" cannot be opened with the key of the installation`);
      return plain;
    },
  };
};
