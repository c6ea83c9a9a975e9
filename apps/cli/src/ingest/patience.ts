/** The server accepted nothing within the time limit of `--retry-for`. */
export class OutOfPatience extends Error {}

/** The time limit while the server refuses everything. It starts with the first refusal after the last accepted file. */
export class Patience {
  readonly #limitMs: number;
  readonly #ended = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  /** The reason of the last refusal. */
  #reason: Readonly<{ code: string; detail: string }> = { code: 'NotAccepted', detail: 'the server accepted nothing' };

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** Aborts when the time limit is reached. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  get reason(): Readonly<{ code: string; detail: string }> {
    return this.#reason;
  }

  refused(code: string, detail: string): void {
    this.#reason = { code, detail };
    this.#timer ??= setTimeout(() => this.#ended.abort(new OutOfPatience(detail)), this.#limitMs);
  }

  accepted(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
