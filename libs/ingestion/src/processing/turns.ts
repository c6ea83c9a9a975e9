/** One document's turn at being worked on. */
export interface Turn {
  /** Lets another document go before, if so many as may have not done so already. To be followed by `comeBack`. */
  stepAside(): void;
  /** Waits for its turn again, if it stepped aside. @throws the signal's reason when aborted */
  comeBack(signal: AbortSignal): Promise<void>;
}

/** Of somebody who is alone. */
export const SOLE_TURN: Turn = { stepAside: () => undefined, comeBack: () => Promise.resolve() };

/**
 * So many documents are worked on at a time, and a few beside them whose files take long to read: else a handful of hostile files
 * would hold up everything. Whoever waits goes in the order of coming; who was aside goes before those who never had a turn.
 */
export class Turns {
  #free: number;
  #beside: number;
  readonly #waiting: (() => void)[] = [];

  /** `beside`: how many may step aside at the same time. */
  constructor(atOnce: number, beside: number) {
    this.#free = atOnce;
    this.#beside = beside;
  }

  /** Runs work in a turn of its own. @throws what the work throws, and the signal's reason when aborted before its turn */
  async run<T>(signal: AbortSignal, work: (turn: Turn) => Promise<T>): Promise<T> {
    await this.#enter(signal);
    let inside = true;
    const turn: Turn = {
      stepAside: () => {
        if (!inside || this.#beside === 0) return;
        inside = false;
        this.#beside--;
        this.#leave();
      },
      comeBack: async (given) => {
        if (inside) return;
        this.#beside++;
        inside = true;
        await this.#enter(given, 'before others').catch((error: unknown) => {
          inside = false;
          this.#beside--;
          throw error;
        });
      },
    };
    try {
      return await work(turn);
    } finally {
      if (inside) this.#leave();
      else this.#beside++;
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

  /** To who waits, or to who comes next. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
