import { createPrivateKey, createPublicKey, hkdfSync, sign } from 'node:crypto';
import { InvalidValue } from '@palimpsest/knowledge/errors';
import type { Signer } from '@palimpsest/knowledge/ports';

/** What precedes the 32 bytes of an Ed25519 seed in its DER form (RFC 8410, section 7). */
const DER = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * Signs with a key that is derived from the master key (HKDF-SHA-256, RFC 5869): it needs no store, every process with the master key has
 * it, and every backup contains it. `masterKey`: 32 bytes. @throws InvalidValue
 */
export const masterKeySigner = (masterKey: Uint8Array): Signer => {
  if (masterKey.length !== 32) throw new InvalidValue('masterKey', '32 bytes', `${masterKey.length} bytes`);
  const seed = Buffer.from(hkdfSync('sha256', masterKey, '', 'palimpsest signing key 1', 32));
  const key = createPrivateKey({ key: Buffer.concat([DER, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);
  return { publicKey, sign: async (message) => sign(null, message, key) };
};
