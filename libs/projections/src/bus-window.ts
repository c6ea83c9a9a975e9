import { InvalidValue } from '@palimpsest/knowledge';

export type BusWindowOptions = Readonly<{
  /** Messages that may be on the bus at most, default 32. More than all consumers together handle at once, or some stand idle. */
  window?: number;
  /** Messages that may be on the bus however slowly they are worked off, default 8 (or `window`, if that is less). The same holds. */
  least?: number;
  /** The longest that a full bus is left alone, in milliseconds, default 100. */
  askEveryMs?: number;
}>;

/** What newcomers have before them on the bus should be worked off within this time. */
const AHEAD_MS = 1_000;
/** Nobody else publishes, so a bus that had room has it still; but dead letters are put back, and another relay may have been there. */
const TRUST_MS = 1_000;
const LEAST_PAUSE_MS = 10;

/** @throws InvalidValue */
export const atLeastOne = (field: string, value: number): number => {
  if (!Number.isSafeInteger(value) || value < 1) throw new InvalidValue(field, 'a whole number of at least 1', value);
  return value;
};

/** @throws InvalidValue */
export const busWindowOptions = ({ window = 32, least = Math.min(8, window), askEveryMs = 100 }: BusWindowOptions): Required<BusWindowOptions> => {
  atLeastOne('window', window);
  if (atLeastOne('least', least) > window) throw new InvalidValue('least', `at most the window, which is ${window}`, least);
  return { window, least, askEveryMs: atLeastOne('askEveryMs', askEveryMs) };
};

/**
 * How much more may go onto the bus, which works off its messages in order: what is on it is ahead of every newcomer. As much
 * as it lately worked off in a second, but at least `least` and at most `window`. It is asked for its lag only when it may be
 * full, about when half of it should be gone.
 */
export class BusWindow {
  readonly #lag: () => Promise<number>;
  readonly #now: () => number;
  readonly #options: Required<BusWindowOptions>;
  /** Never less than what is on the bus: its lag when it was asked, and what was published since. */
  #known = Infinity;
  #askedAt = -Infinity;
  /** Messages worked off in a second, as of late. */
  #rate = 0;

  /** `now`: in milliseconds, from any start. */
  constructor(lag: () => Promise<number>, options: Required<BusWindowOptions>, now = () => performance.now()) {
    this.#lag = lag;
    this.#now = now;
    this.#options = options;
  }

  async room(): Promise<number> {
    if (this.askAgainIn() === 0) await this.#ask();
    return Math.max(0, this.#limit() - this.#known);
  }

  published(messages: number): void {
    this.#known += messages;
  }

  /** Milliseconds; before, the answer would be the same. */
  askAgainIn(): number {
    const halfGone = (this.#limit() / 2 / this.#rate) * 1_000;
    const whenFull = Math.min(this.#options.askEveryMs, Math.max(LEAST_PAUSE_MS, halfGone));
    return Math.max(0, this.#askedAt + (this.#known < this.#limit() ? TRUST_MS : whenFull) - this.#now());
  }

  #limit(): number {
    const { window, least } = this.#options;
    return Math.min(window, Math.max(least, Math.ceil((this.#rate * AHEAD_MS) / 1_000)));
  }

  async #ask(): Promise<void> {
    const lag = await this.#lag();
    const now = this.#now();
    const elapsed = now - this.#askedAt;
    if (Number.isFinite(elapsed) && elapsed > 0 && this.#known > 0) this.#learn(Math.max(0, this.#known - lag), elapsed, lag === 0);
    [this.#known, this.#askedAt] = [lag, now];
  }

  /** A moving mean, in which the last second counts about as much as all before. */
  #learn(workedOff: number, elapsed: number, idle: boolean): void {
    const rate = (workedOff / elapsed) * 1_000;
    // Where it ran empty on the way, it could have done more.
    if (idle && rate < this.#rate) return;
    this.#rate += (1 - Math.exp(-elapsed / 1_000)) * (rate - this.#rate);
  }
}
