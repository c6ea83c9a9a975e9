import type { FileSeal } from '@palimpsest/contracts';
import { Corrupt } from '@palimpsest/knowledge/errors';

/** The content of a file is not what was written to it. Not thrown to callers: `damaged()` reports the partition. */
export class Damaged extends Error {}

/** @throws Damaged when the bytes were not sealed for this place of this file */
export const openPiece = (seal: FileSeal, sealed: Uint8Array, at: number): Uint8Array => {
  try {
    return seal.open(sealed, at);
  } catch (error) {
    throw error instanceof Corrupt ? new Damaged(error.message) : error;
  }
};
