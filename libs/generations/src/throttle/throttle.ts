import { pause, type System } from '@palimpsest/foundation';
import type { EndTurn, Gate, Turns } from './turns.ts';
import type { LiveLoad } from './live-load.ts';

/** The smallest share of the time that re-embedding gets, however busy the installation is: a swap must end. */
export const SMALLEST_SHARE = 0.1;
/** Added after each look without pressure. */
const RISE = 0.1;
/** Time between two looks, in milliseconds. */
const LOOK_MS = 2_000;
/** Longest rest between two looks at the swap, in milliseconds: a pause takes effect within a second. */
const REST_MS = 500;

/** `load`: live work comes first. Which work it is, and whose, is not for an administrator of one tenant. `cap`: nothing but the setting. */
export type Slowed = Readonly<{ percent: number; because: 'load' | 'cap' }>;

/** A number of batches at the same time, in the order of the calls. */
class Slots implements Turns {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async next(signal: AbortSignal, gate: Gate): Promise<EndTurn> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      signal.throwIfAborted();
      await gate();
    } catch (error) {
      this.#end();
      throw error;
    }
    return () => this.#end();
  }

  #end(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }
}

/**
 * The rate of all re-embedding of this process. It takes half as much of the time whenever searches are slower than before the swap or
 * documents pile up, and slowly more again when they are not (additive increase, multiplicative decrease, as in TCP). At full speed, some
 * batches run in parallel. Below, they run one after the other, each followed by a rest in proportion to the time that it took.
 */
export class Throttle implements Turns {
  readonly #load: Pick<LiveLoad, 'pressure'>;
  readonly #cap: number;
  readonly #slots: Slots;
  readonly #system: Pick<System, 'clock' | 'scheduler'>;
  #share: number;
  #nextLook = -Infinity;
  #latest: Promise<void> = Promise.resolve();
  #rest: Readonly<{ from: number; tookMs: number }> | undefined;

  /** `cap`: the largest share of the time, above 0 to 1. `batches`: at the same time, of all ranges together. */
  constructor(
    load: Pick<LiveLoad, 'pressure'>,
    { cap, batches }: Readonly<{ cap: number; batches: number }>,
    system: Pick<System, 'clock' | 'scheduler'>,
  ) {
    this.#load = load;
    this.#cap = cap;
    this.#slots = new Slots(batches);
    this.#share = cap;
    this.#system = system;
  }

  /** Share of the time, 0.1 to 1. */
  get share(): number {
    return this.#share;
  }

  /** Undefined at full speed. */
  get slowed(): Slowed | undefined {
    return this.#share < 1 ? { percent: Math.round(100 * this.#share), because: this.#share < this.#cap ? 'load' : 'cap' } : undefined;
  }

  async next(signal: AbortSignal, gate: Gate): Promise<EndTurn> {
    await this.#look();
    if (this.#share >= 1) return this.#slots.next(signal, gate);
    const before = this.#latest;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#latest = promise;
    try {
      await before;
      await this.#resting(signal, gate);
    } catch (error) {
      resolve();
      throw error;
    }
    const { clock } = this.#system;
    const from = clock.elapsed();
    return () => {
      this.#rest = { from: clock.elapsed(), tookMs: clock.elapsed() - from };
      resolve();
    };
  }

  /** Computed again after each step, since the share may have changed. */
  async #resting(signal: AbortSignal, gate: Gate): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      await gate();
      await this.#look();
      const { from, tookMs } = this.#rest ?? { from: 0, tookMs: 0 };
      const left = from + tookMs * (1 / this.#share - 1) - this.#system.clock.elapsed();
      if (left <= 0) return;
      await pause(Math.min(left, REST_MS), signal, this.#system.scheduler);
    }
  }

  async #look(): Promise<void> {
    const { clock } = this.#system;
    if (clock.elapsed() < this.#nextLook) return;
    this.#nextLook = clock.elapsed() + LOOK_MS;
    const pressure = await this.#load.pressure(this.#share <= SMALLEST_SHARE);
    if (pressure === undefined) this.#share = Math.min(this.#cap, rounded(this.#share + RISE));
    else this.#share = Math.max(Math.min(SMALLEST_SHARE, this.#cap), rounded(this.#share / 2));
  }
}

/** To whole percents. */
const rounded = (share: number): number => Math.round(100 * share) / 100;
