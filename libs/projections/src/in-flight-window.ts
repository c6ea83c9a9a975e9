import { SYSTEM } from '@palimpsest/foundation';
import { InvalidValue } from '@palimpsest/knowledge/errors';

export type InFlightWindowOptions = Readonly<{
  /** Maximum number of messages on the bus, default 32. Must exceed what all consumers handle concurrently, or some are idle. */
  window?: number;
  /** Messages that may be on the bus even if they are processed slowly, default 8, or `window` if less. The same limit applies. */
  min?: number;
  /** Maximum time between two polls of a full bus, in milliseconds, default 100. */
  pollEveryMs?: number;
}>;

/** Messages ahead of a new one on the bus should be processed within this time. */
const AHEAD_MS = 1_000;
/** How long free capacity is trusted. No one else publishes, except for retried dead letters and an earlier relay. */
const TRUST_MS = 1_000;
const MIN_PAUSE_MS = 10;

/** @throws InvalidValue */
export const atLeastOne = (field: string, value: number): number => {
  if (!Number.isSafeInteger(value) || value < 1) throw new InvalidValue(field, 'a whole number of at least 1', value);
  return value;
};

/** @throws InvalidValue */
export const inFlightWindowOptions = ({
  window = 32,
  min = Math.min(8, window),
  pollEveryMs = 100,
}: InFlightWindowOptions): Required<InFlightWindowOptions> => {
  atLeastOne('window', window);
  if (atLeastOne('min', min) > window) throw new InvalidValue('min', `at most the window (${window})`, min);
  return { window, min, pollEveryMs: atLeastOne('pollEveryMs', pollEveryMs) };
};

/**
 * How many more messages may go onto the bus, which processes them in order: every message on it is ahead of a new one. The limit is
 * the number processed recently in a second, but at least `min` and at most `window`. The bus is asked for its lag only when it may be
 * full, at about the time when half of it should be processed.
 */
export class InFlightWindow {
  readonly #lag: () => Promise<number>;
  readonly #now: () => number;
  readonly #options: Required<InFlightWindowOptions>;
  /** Upper bound of the messages on the bus: its last lag plus what was published since. */
  #known = Infinity;
  #askedAt = -Infinity;
  /** Messages processed per second recently. */
  #rate = 0;

  /** `now`: in milliseconds, from any origin. */
  constructor(lag: () => Promise<number>, options: Required<InFlightWindowOptions>, now = () => SYSTEM.clock.elapsed()) {
    this.#lag = lag;
    this.#now = now;
    this.#options = options;
  }

  async available(): Promise<number> {
    if (this.nextPollInMs() === 0) await this.#ask();
    return Math.max(0, this.#limit() - this.#known);
  }

  published(messages: number): void {
    this.#known += messages;
  }

  /** Milliseconds until `available` can change. */
  nextPollInMs(): number {
    const halfGone = (this.#limit() / 2 / this.#rate) * 1_000;
    const whenFull = Math.min(this.#options.pollEveryMs, Math.max(MIN_PAUSE_MS, halfGone));
    return Math.max(0, this.#askedAt + (this.#known < this.#limit() ? TRUST_MS : whenFull) - this.#now());
  }

  #limit(): number {
    const { window, min } = this.#options;
    return Math.min(window, Math.max(min, Math.ceil((this.#rate * AHEAD_MS) / 1_000)));
  }

  async #ask(): Promise<void> {
    const lag = await this.#lag();
    const now = this.#now();
    const elapsed = now - this.#askedAt;
    if (Number.isFinite(elapsed) && elapsed > 0 && this.#known > 0) this.#learn(Math.max(0, this.#known - lag), elapsed, lag === 0);
    [this.#known, this.#askedAt] = [lag, now];
  }

  /** A moving average in which the last second counts about as much as all the time before. */
  #learn(processed: number, elapsed: number, idle: boolean): void {
    const rate = (processed / elapsed) * 1_000;
    // If the bus ran empty meanwhile, its real rate may be higher.
    if (idle && rate < this.#rate) return;
    this.#rate += (1 - Math.exp(-elapsed / 1_000)) * (rate - this.#rate);
  }
}
