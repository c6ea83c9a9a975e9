/** The server accepted nothing for as long as the command was asked to go on trying. */
export class OutOfPatience extends Error {}

/** How long to go on while the server refuses everything: counted from the first refusal since it last accepted something. */
export class Patience {
  readonly #limitMs: number;
  readonly #ended = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  /** What the server last refused with. */
  #reason: Readonly<{ code: string; detail: string }> = { code: 'NotAccepted', detail: 'the server accepted nothing' };

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** Aborts when the time is over. */
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
