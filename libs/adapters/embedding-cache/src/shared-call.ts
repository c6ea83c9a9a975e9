/** Work that several callers wait for. It is aborted only when the last of them has left. */
export class SharedCall<Answer> {
  readonly #answer: Promise<Answer>;
  readonly #abandoned = new AbortController();
  #waiting = 0;

  /** Starts the work at once. */
  constructor(work: (abandoned: AbortSignal) => Promise<Answer>) {
    this.#answer = work(this.#abandoned.signal);
    this.#answer.catch(() => undefined); // Those who wait are told; when all have left, nobody is to be.
  }

  /** False once everybody has left: the work is being aborted. */
  get joinable(): boolean {
    return !this.#abandoned.signal.aborted;
  }

  /** Resolves when the work has ended, well or not. */
  async ended(): Promise<void> {
    await this.#answer.catch(() => undefined);
  }

  /**
   * Waits for the work's answer or failure.
   *
   * @throws the signal's reason, when that comes first
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
