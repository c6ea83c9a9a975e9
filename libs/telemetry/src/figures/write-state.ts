import { inTime, SYSTEM } from '@palimpsest/foundation';

/** How long a result is reused: several probes request it every few seconds. */
const FRESH_MS = 2_000;
/** A disk that takes longer counts as failing. */
const TIMEOUT_MS = 5_000;

/**
 * Whether writes of this process succeed. It tries to write whenever it is asked. So the result is correct before the first upload
 * fails, and it recovers as soon as there is space, although a process that is not ready receives no uploads.
 */
export class WriteState {
  readonly #check: (() => Promise<void>) | undefined;
  #latest: Promise<boolean> | undefined;
  #freshUntil = 0;

  /** `check` throws while writes fail; undefined in a process that does not write. */
  constructor(check: (() => Promise<void>) | undefined) {
    this.#check = check;
  }

  failing(): Promise<boolean> {
    if (this.#check === undefined) return Promise.resolve(false);
    if (this.#latest === undefined || SYSTEM.clock.elapsed() >= this.#freshUntil) {
      this.#freshUntil = Infinity;
      this.#latest = this.#run(this.#check);
    }
    return this.#latest;
  }

  async #run(check: () => Promise<void>): Promise<boolean> {
    const works = await inTime(
      check().then(
        () => true,
        () => false,
      ),
      TIMEOUT_MS,
      false,
    );
    this.#freshUntil = SYSTEM.clock.elapsed() + FRESH_MS;
    return !works;
  }
}
