import type { Socket } from 'node:net';

/** Refusals a second that cost next to nothing. */
const A_SECOND = 300;
/** For so long a connection is left unread at most, milliseconds: whoever came too often may do so no longer than this. */
const MOST_MS = 5_000;

type Clock = Readonly<{ now: () => number; after: (ms: number, then: () => void) => void }>;

const CLOCK: Clock = { now: () => performance.now(), after: (ms, then) => void setTimeout(then, ms).unref() };

/**
 * Refusing costs little, but not nothing: ten times the load that can be worked off would leave a process no time for anything else.
 * So connections over which requests were refused take turns: so many are read again a second. What is sent over them before waits
 * in the connection, and its sender with it. Connections over which nobody was refused are read as ever.
 */
export class RefusedConnections {
  readonly #clock: Clock;
  readonly #everyMs: number;
  #next = -Infinity;

  constructor(perSecond = A_SECOND, clock: Clock = CLOCK) {
    this.#clock = clock;
    this.#everyMs = 1000 / perSecond;
  }

  /** To be called when a refusal was sent: from now on the connection is not read until its turn. */
  rest(socket: Socket): void {
    const now = this.#clock.now();
    this.#next = Math.min(now + MOST_MS, Math.max(now, this.#next) + this.#everyMs);
    // A tenth of a second's worth may come at once.
    const wait = this.#next - now - 100;
    if (wait <= 0 || socket.destroyed) return;
    socket.pause();
    this.#clock.after(wait, () => {
      if (!socket.destroyed) socket.resume();
    });
  }
}
