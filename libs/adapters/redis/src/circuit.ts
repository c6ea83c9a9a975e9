/** So many failures in a row, and the circuit rests: one slow answer is no reason yet. */
const FAILURES = 3;

/** Says whether something that fails is to be asked now. After its rest, one failure more is enough for the next rest. */
export class Circuit {
  readonly #restMs: number;
  readonly #now: () => number;
  #failures = 0;
  #restsUntil = -Infinity;

  /** `now` in milliseconds. */
  constructor(restMs: number, now: () => number = () => performance.now()) {
    this.#restMs = restMs;
    this.#now = now;
  }

  get closed(): boolean {
    return this.#now() >= this.#restsUntil;
  }

  succeeded(): void {
    this.#failures = 0;
  }

  /** Answers whether a rest begins with it. */
  failed(): boolean {
    this.#failures++;
    if (this.#failures < FAILURES || !this.closed) return false;
    this.#restsUntil = this.#now() + this.#restMs;
    return true;
  }
}
