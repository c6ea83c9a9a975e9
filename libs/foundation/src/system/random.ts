import { randomBytes } from 'node:crypto';

/** Draws random values. */
export interface Random {
  /** A number from 0 (inclusive) to 1 (exclusive), for jitter and the like; not for secrets. */
  next(): number;
  /** Bytes that no attacker can guess, for keys and secrets. */
  bytes(count: number): Buffer;
}

export const systemRandom: Random = { next: () => Math.random(), bytes: (count) => randomBytes(count) };
