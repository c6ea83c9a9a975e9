import { createPublicKey, verify } from 'node:crypto';
import { sha256Hex } from './digests.ts';

const KEY_BYTES = 32;
/** What precedes the 32 bytes of an Ed25519 key in its DER form (RFC 8410, section 4). */
const DER = Buffer.from('302a300506032b6570032100', 'hex');

/** Names a public key: 16 hexadecimal digits of its SHA-256. */
export const keyIdOf = (publicKey: Uint8Array): string => sha256Hex(publicKey).slice(0, 16);

/** Whether the message was signed with this Ed25519 key. `signature`: Base64. False for anything that is no key or no signature. */
export const isSignedBy = (publicKey: Uint8Array, message: Uint8Array, signature: string): boolean => {
  const bytes = Buffer.from(signature, 'base64');
  // The last character has bits without a meaning: another one would be the same signature.
  if (publicKey.length !== KEY_BYTES || bytes.toString('base64') !== signature) return false;
  try {
    return verify(null, message, createPublicKey({ key: Buffer.concat([DER, publicKey]), format: 'der', type: 'spki' }), bytes);
  } catch {
    return false;
  }
};
