import { fullJitter, pause } from '@palimpsest/foundation';

/** Pauses between attempts. Each is a random part (full jitter) of a bound that doubles, so that clients do not retry in lockstep. */
export class Backoff {
  readonly #baseMs: number;
  readonly #maxMs: number;
  #failures = 0;

  constructor(baseMs: number, maxMs: number) {
    this.#baseMs = baseMs;
    this.#maxMs = maxMs;
  }

  reset(): void {
    this.#failures = 0;
  }

  /** Ends early, without an error, when the signal aborts. */
  async pause(signal?: AbortSignal): Promise<void> {
    await pause(1 + fullJitter(this.#failures++, this.#baseMs, this.#maxMs), signal);
  }
}
