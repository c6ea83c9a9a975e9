import { createPublicKey, verify } from 'node:crypto';
import { sha256Hex } from './digests.ts';

const KEY_BYTES = 32;
/** What precedes the 32 bytes of an Ed25519 key in its DER form (RFC 8410, section 4). */
const DER = Buffer.from('302a300506032b6570032100', 'hex');

/** Names a public key: 16 hexadecimal digits of its SHA-256. */
export const keyIdOf = (publicKey: Uint8Array): string => sha256Hex(publicKey).slice(0, 16);

/** Whether the message was signed with this Ed25519 key. False for anything that is no key or no signature. */
export const isSignedBy = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean => {
  if (publicKey.length !== KEY_BYTES) return false;
  try {
    return verify(null, message, createPublicKey({ key: Buffer.concat([DER, publicKey]), format: 'der', type: 'spki' }), signature);
  } catch {
    return false;
  }
};
