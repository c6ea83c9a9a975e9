import type { Socket } from 'node:net';

/** Of the time of the event loop: so much may go into refusing. */
const SHARE = 0.04;
/** What it takes to read a request that is refused, to wake up for it and to clear up after it, in the time that its answer takes. */
const READING = 1;
/** For so long a connection is left unread at most, milliseconds: whoever came too often may do so no longer than this. */
const MOST_MS = 5_000;
/** So many milliseconds ahead of their turn connections are read, so that few who are refused find no difference. */
const AHEAD_MS = 100;

type Clock = Readonly<{ now: () => number; after: (ms: number, then: () => void) => void }>;

const CLOCK: Clock = { now: () => performance.now(), after: (ms, then) => void setTimeout(then, ms).unref() };

/**
 * Refusing costs little, but not nothing: ten times the load that can be worked off would leave a process no time for anything else.
 * So connections over which requests were refused take turns: they are read again as fast as refusing takes a small share of the time,
 * whatever a refusal costs on this machine. What is sent over them before waits in the connection, and its sender with it.
 * Connections over which nobody was refused are read as ever.
 */
export class RefusedConnections {
  readonly #clock: Clock;
  readonly #share: number;
  #next = -Infinity;

  constructor(share = SHARE, clock: Clock = CLOCK) {
    this.#clock = clock;
    this.#share = share;
  }

  /** To be called when a refusal was sent, which took so long: from now on the connection is not read until its turn. */
  rest(socket: Socket, tookMs: number): void {
    const now = this.#clock.now();
    this.#next = Math.min(now + MOST_MS, Math.max(now, this.#next) + (tookMs * (1 + READING)) / this.#share);
    const wait = this.#next - now - AHEAD_MS;
    // One that is closed after its answer brings nothing any more.
    if (wait <= 0 || socket.destroyed || socket.writableEnded) return;
    socket.pause();
    this.#clock.after(wait, () => {
      if (!socket.destroyed) socket.resume();
    });
  }
}
