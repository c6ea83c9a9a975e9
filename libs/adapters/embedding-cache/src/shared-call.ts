/** Work that several callers wait for. It is aborted only when the last of them has aborted. */
export class SharedCall<Answer> {
  readonly #answer: Promise<Answer>;
  readonly #abandoned = new AbortController();
  #waiting = 0;

  /** Starts the work immediately. */
  constructor(work: (abandoned: AbortSignal) => Promise<Answer>) {
    this.#answer = work(this.#abandoned.signal);
    this.#answer.catch(() => undefined); // Waiting callers get the error from `join`; without callers it is ignored.
  }

  /** False once all callers have aborted: the work is being aborted too. */
  get joinable(): boolean {
    return !this.#abandoned.signal.aborted;
  }

  /** Resolves when the work has ended, whether it succeeded or failed. */
  async ended(): Promise<void> {
    await this.#answer.catch(() => undefined);
  }

  /**
   * Waits for the work's result or failure.
   *
   * @throws the signal's reason if it aborts first
   */
  join(signal?: AbortSignal): Promise<Answer> {
    this.#waiting++;
    if (signal === undefined) return this.#answer;
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        reject(signal.reason as Error);
        if (--this.#waiting === 0) this.#abandoned.abort(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
    });
  }
}
