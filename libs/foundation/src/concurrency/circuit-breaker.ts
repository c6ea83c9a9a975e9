import { systemClock, type Clock } from '../system/clock.ts';

export type CircuitOptions = Readonly<{
  /** Failures in a row after which it opens: a single slow answer is no reason yet. */
  failures?: number;
  /** How long it stays open, in milliseconds. Doubles each time that the call after it fails, too. */
  restMs: number;
  /** Default: `restMs`. */
  maxRestMs?: number;
}>;

/** `forMs`: how long it has been open. `leftMs`: how long no call is made; 0 if the next one is. */
export type OpenCircuit = Readonly<{ failures: number; forMs: number; leftMs: number }>;

/** A call that may be made. Exactly one of these is called when it ends. */
export type CircuitCall = Readonly<{
  succeeded: () => void;
  /** Returns whether the circuit opens with this failure. `restMs`: opens at once, for this long. */
  failed: (restMs?: number) => boolean;
  /** It ended without saying anything about the server. */
  left: () => void;
}>;

/** Protects a server that fails, and callers from waiting for it: no call is made for a while, then a single one finds out. */
export class CircuitBreaker {
  readonly #options: Required<CircuitOptions>;
  readonly #clock: Pick<Clock, 'elapsed'>;
  #failures = 0;
  #opened: Readonly<{ since: number; until: number; restMs: number }> | undefined;
  #probing = false;

  constructor({ failures = 3, restMs, maxRestMs = restMs }: CircuitOptions, clock: Pick<Clock, 'elapsed'> = systemClock) {
    this.#options = { failures, restMs, maxRestMs };
    this.#clock = clock;
  }

  /** Undefined while no call may be made. */
  enter(): CircuitCall | undefined {
    const probe = this.#opened !== undefined;
    if (probe && (this.#probing || this.#left() > 0)) return undefined;
    if (probe) this.#probing = true;
    return {
      succeeded: () => {
        // A call from before the failures says nothing about now.
        if (this.#opened !== undefined && !probe) return;
        this.#failures = 0;
        this.#opened = undefined;
        if (probe) this.#probing = false;
      },
      failed: (restMs) => {
        if (probe) this.#probing = false;
        this.#failures++;
        return this.#open(probe, restMs);
      },
      left: () => {
        if (probe) this.#probing = false;
      },
    };
  }

  /** Undefined if it is closed. */
  get opened(): OpenCircuit | undefined {
    if (this.#opened === undefined) return undefined;
    return { failures: this.#failures, forMs: this.#clock.elapsed() - this.#opened.since, leftMs: this.#left() };
  }

  #left(): number {
    return Math.max(0, (this.#opened?.until ?? 0) - this.#clock.elapsed());
  }

  #open(probe: boolean, asked?: number): boolean {
    const { failures, restMs, maxRestMs } = this.#options;
    const now = this.#clock.elapsed();
    // Calls that began before it opened do not extend the pause.
    if (this.#opened !== undefined && !probe && asked === undefined) return false;
    if (this.#opened === undefined && asked === undefined && this.#failures < failures) return false;
    const next = this.#opened === undefined ? restMs : Math.min(2 * this.#opened.restMs, maxRestMs);
    this.#opened = { since: this.#opened?.since ?? now, until: Math.max(now + (asked ?? next), this.#opened?.until ?? 0), restMs: next };
    return true;
  }
}
