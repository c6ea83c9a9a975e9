/** Pseudo-random numbers that depend only on the seed (Mulberry32, public domain): the same in every run and on every machine. Not for secrets. */
export class SeededRandom {
  #state: number;

  /** Only the lowest 32 bits of the seed count. */
  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** A whole number from 0 to 2 ** 32 - 1. */
  uint32(): number {
    // Signed, so that the engine stores it without a box.
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** From 0 (inclusive) to 1 (exclusive). */
  next(): number {
    return this.uint32() / 2 ** 32;
  }
}
