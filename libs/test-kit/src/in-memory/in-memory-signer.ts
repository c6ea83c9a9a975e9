import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import type { Signer } from '@palimpsest/knowledge/ports';

/** Real signatures. The same `installation` has the same key. */
export const inMemorySigner = (installation = 'one'): Signer => {
  const seed = createHash('sha256').update(installation).digest();
  const key = createPrivateKey({
    key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);
  return { publicKey, sign: async (message) => sign(null, message, key) };
};
