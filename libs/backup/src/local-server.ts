import { createHmac } from 'node:crypto';

/** Route where a server proves to the local command line that it belongs to the data folder: `?nonce=`, 64 hexadecimal digits. */
export const PROOF_PATH = '/health/local';
export const NONCE = /^[0-9a-f]{64}$/;

/** `server.json` of a data folder. It exists while the server listens; a server that is killed leaves it behind. */
export type ServerRecord = Readonly<{ url: string; pid: number; startedAt: string }>;

/**
 * Proves that the program at `url` knows the local key, without revealing the key. The proof includes the address, so a program that took
 * over the address of a stopped server cannot reuse a proof of another server.
 */
export const proofOf = (key: string, url: string, nonce: string): string =>
  createHmac('sha256', key).update(`palimpsest local server\n${url}\n${nonce}`).digest('hex');
