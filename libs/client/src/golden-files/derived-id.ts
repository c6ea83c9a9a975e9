import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

/**
 * The id of a query that has none: the same for the same text, so that a file without ids can be imported again. Browsers have
 * `crypto.subtle` only on HTTPS and on localhost; the console also runs without.
 */
export const derivedId = (text: string): string => `q-${bytesToHex(sha256(new TextEncoder().encode(text))).slice(0, 12)}`;
