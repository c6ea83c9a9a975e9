import { createHmac } from 'node:crypto';

/** Where a server proves to the command line on its machine that it is the one which its data folder names: `?nonce=`, 64 hexadecimal digits. */
export const PROOF_PATH = '/health/local';
export const NONCE = /^[0-9a-f]{64}$/;

/** `server.json` of a data folder: there from when its server listens until it is asked to stop. What died without notice leaves one behind. */
export type ServerRecord = Readonly<{ url: string; pid: number; startedAt: string }>;

/**
 * Shows that the program which answers at `url` knows the local key, without showing the key. The address is a part of it: a program that took over the
 * address of a server which is gone cannot have the proof made by another one.
 */
export const proofOf = (key: string, url: string, nonce: string): string => createHmac('sha256', key).update(`palimpsest local server\n${url}\n${nonce}`).digest('hex');
