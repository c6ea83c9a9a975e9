/**
 * Notices that a connection on which somebody waits for the server has brought nothing for a while. An idle connection is not
 * silent: nobody waits on it.
 */
export class SilenceWatch {
  readonly #limitMs: number;
  readonly #onSilent: () => void;
  #waiting = 0;
  /** When the server last sent something, or somebody began to wait. */
  #since = performance.now();
  #timer: NodeJS.Timeout | undefined;

  constructor(limitMs: number, onSilent: () => void) {
    this.#limitMs = limitMs;
    this.#onSilent = onSilent;
  }

  /** Whether the server sent nothing for so long. */
  silentFor(ms: number): boolean {
    return performance.now() - this.#since >= ms;
  }

  /** The server sent something. */
  arrived(): void {
    this.#since = performance.now();
  }

  /** Somebody waits until the returned function is called. */
  waiting(): () => void {
    if (this.#waiting === 0) this.arrived();
    this.#waiting += 1;
    this.#timer ??= this.#look(this.#limitMs);
    let waits = true;
    return () => {
      if (!waits) return;
      waits = false;
      this.#waiting -= 1;
      if (this.#waiting === 0) this.stop();
    };
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #look(afterMs: number): NodeJS.Timeout {
    // What came in while this process was busy is taken in before it is judged: timers run before sockets.
    return setTimeout(() => setImmediate(() => setImmediate(() => this.#judge())), afterMs);
  }

  #judge(): void {
    if (this.#timer === undefined) return;
    this.#timer = undefined;
    if (this.silentFor(this.#limitMs)) this.#onSilent();
    else this.#timer = this.#look(Math.max(1, this.#limitMs - (performance.now() - this.#since)));
  }
}
