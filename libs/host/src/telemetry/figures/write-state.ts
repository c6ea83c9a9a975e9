import { inTime } from '@palimpsest/contracts';

/** How long an answer counts: probes come every few seconds, from several sides. */
const FRESH_MS = 2_000;
/** A disk that takes longer does not work either. */
const PATIENCE_MS = 5_000;

/**
 * Whether this process can store what it is sent. It tries, whenever somebody asks: so the answer is right before the first
 * upload was refused, and again as soon as there is space, although nobody sends anything to a process that is not ready.
 */
export class WriteState {
  readonly #check: (() => Promise<void>) | undefined;
  #latest: Promise<boolean> | undefined;
  #freshUntil = 0;

  /** `check` throws while nothing can be stored; absent where others store. */
  constructor(check: (() => Promise<void>) | undefined) {
    this.#check = check;
  }

  failing(): Promise<boolean> {
    if (this.#check === undefined) return Promise.resolve(false);
    if (this.#latest === undefined || performance.now() >= this.#freshUntil) {
      this.#freshUntil = Infinity;
      this.#latest = this.#look(this.#check);
    }
    return this.#latest;
  }

  async #look(check: () => Promise<void>): Promise<boolean> {
    const works = await inTime(
      check().then(() => true, () => false),
      PATIENCE_MS,
      false,
    );
    this.#freshUntil = performance.now() + FRESH_MS;
    return !works;
  }
}
