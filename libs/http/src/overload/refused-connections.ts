import type { Socket } from 'node:net';

import { SYSTEM } from '@palimpsest/foundation';

/** Share of the event loop's time that may be spent on refusals. */
const SHARE = 0.04;
/** Cost of reading a refused request, relative to the cost of its response. */
const READ_COST_FACTOR = 1;
/** Maximum time that a connection is paused, in milliseconds. */
export const MAX_MS = 5_000;
/** Connections are resumed this many milliseconds early, so that a few refusals cause no delay. */
const SLACK_MS = 100;

type Clock = Readonly<{ now: () => number; after: (ms: number, then: () => void) => void }>;

const CLOCK: Clock = {
  now: () => SYSTEM.clock.elapsed(),
  after: (ms, then) => void SYSTEM.scheduler.after(ms, then, { background: true }),
};

/**
 * A refusal is cheap but not free: at ten times the load that a process can handle, it would have no time for anything else. So after
 * a refusal, its connection is paused. Connections are resumed at a rate that keeps refusals within a small share of the time,
 * whatever a refusal costs on this machine. Data that a client sends meanwhile waits in the connection. Connections without refused
 * requests are read normally.
 */
export class RefusedConnections {
  readonly #clock: Clock;
  readonly #share: number;
  #next = -Infinity;

  constructor(share = SHARE, clock: Clock = CLOCK) {
    this.#clock = clock;
    this.#share = share;
  }

  /** Pauses the connection after a refusal that took `tookMs` to send. */
  throttle(socket: Socket, tookMs: number): void {
    const now = this.#clock.now();
    this.#next = Math.min(now + MAX_MS, Math.max(now, this.#next) + (tookMs * (1 + READ_COST_FACTOR)) / this.#share);
    const wait = this.#next - now - SLACK_MS;
    // A connection that is closed after its response sends no more requests.
    if (wait <= 0 || socket.destroyed || socket.writableEnded) return;
    socket.pause();
    this.#clock.after(wait, () => {
      if (!socket.destroyed) socket.resume();
    });
  }
}
