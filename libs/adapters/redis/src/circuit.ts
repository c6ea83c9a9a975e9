/** The circuit opens after this many failures in a row: a single slow answer is no reason yet. */
const FAILURES = 3;

/** A circuit breaker. After its pause, a single failure is enough to open it again. */
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

  /** Returns whether the circuit opens with this failure. */
  failed(): boolean {
    this.#failures++;
    if (this.#failures < FAILURES || !this.closed) return false;
    this.#restsUntil = this.#now() + this.#restMs;
    return true;
  }
}
