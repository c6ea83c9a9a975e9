/**
 * Detects a connection on which a call waits for the server and nothing has arrived for a while. An idle connection is not
 * silent: no call waits on it.
 */
export class SilenceWatch {
  readonly #limitMs: number;
  readonly #onSilent: () => void;
  #waiting = 0;
  /** When the server last sent something, or a call started to wait. */
  #since = performance.now();
  #timer: NodeJS.Timeout | undefined;

  constructor(limitMs: number, onSilent: () => void) {
    this.#limitMs = limitMs;
    this.#onSilent = onSilent;
  }

  /** Whether the server has sent nothing for `ms`. */
  silentFor(ms: number): boolean {
    return performance.now() - this.#since >= ms;
  }

  /** The server sent something. */
  arrived(): void {
    this.#since = performance.now();
  }

  /** A call waits until the returned function is called. */
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
    // First read what arrived while this process was busy: timers run before sockets.
    return setTimeout(() => setImmediate(() => setImmediate(() => this.#judge())), afterMs);
  }

  #judge(): void {
    if (this.#timer === undefined) return;
    this.#timer = undefined;
    if (this.silentFor(this.#limitMs)) this.#onSilent();
    else this.#timer = this.#look(Math.max(1, this.#limitMs - (performance.now() - this.#since)));
  }
}
