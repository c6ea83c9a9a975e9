/** A document's permit to be processed. */
export interface Permit {
  /** Lets another document go first, unless the maximum number of documents has yielded already. Call `reacquire` afterwards. */
  yield(): void;
  /** Waits for the permit again if it was yielded. @throws the signal's reason when aborted */
  reacquire(signal: AbortSignal): Promise<void>;
}

/** For work without concurrency. */
export const UNCONTENDED_PERMIT: Permit = { yield: () => undefined, reacquire: () => Promise.resolve() };

/**
 * Limits the number of documents that are processed at the same time. A few more may yield while their files take long to parse, so
 * that a handful of hostile files does not block all others. Permits are granted in order, but first to documents that yielded.
 */
export class Semaphore {
  #free: number;
  #yieldsLeft: number;
  readonly #waiting: (() => void)[] = [];

  /** `maxYields`: how many documents may have yielded at the same time. */
  constructor(permits: number, maxYields: number) {
    this.#free = permits;
    this.#yieldsLeft = maxYields;
  }

  /** Runs work with a permit. @throws the errors of the work, and the signal's reason when aborted while waiting for the permit */
  async run<T>(signal: AbortSignal, work: (permit: Permit) => Promise<T>): Promise<T> {
    await this.#enter(signal);
    let isHeld = true;
    const permit: Permit = {
      yield: () => {
        if (!isHeld || this.#yieldsLeft === 0) return;
        isHeld = false;
        this.#yieldsLeft--;
        this.#leave();
      },
      reacquire: async (given) => {
        if (isHeld) return;
        this.#yieldsLeft++;
        isHeld = true;
        await this.#enter(given, 'before others').catch((error: unknown) => {
          isHeld = false;
          this.#yieldsLeft--;
          throw error;
        });
      },
    };
    try {
      return await work(permit);
    } finally {
      if (isHeld) this.#leave();
      else this.#yieldsLeft++;
    }
  }

  async #enter(signal: AbortSignal, order?: 'before others'): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const enter = (): void => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      if (order === undefined) this.#waiting.push(enter);
      else this.#waiting.unshift(enter);
    });
  }

  /** Passes the permit to the next in the queue, or frees it. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
