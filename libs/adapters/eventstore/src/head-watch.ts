import { pause } from '@palimpsest/foundation';
import { Backoff } from './backoff.ts';
import type { Connection } from './connection.ts';
import type { LogHead } from './log-head.ts';
import { NOTHING } from './namespace.ts';
import { allSubscription } from './read-request.ts';
import { serverRead } from './server-read.ts';

/** Minimum time between two reads of the head. */
const LOOK_EVERY_MS = 25;
/** The head is read at least this often, in case a server sends checkpoints less often than requested. */
const LOOK_AT_LEAST_MS = 1000;

/**
 * Tracks the head of a log as others append to it, as long as at least one follower needs it. It uses one subscription that matches
 * nothing and requests a checkpoint after each event. So it transfers no events, and sends no requests while no process appends,
 * except for one read a second.
 */
export class HeadWatch {
  readonly #connection: Connection;
  readonly #head: LogHead;
  #wanted = 0;
  #stop: AbortController | undefined;

  constructor(connection: Connection, head: LogHead) {
    this.#connection = connection;
    this.#head = head;
  }

  /** Starts watching, unless it is already running. Returns a function that ends the caller's interest. */
  want(): () => void {
    this.#wanted += 1;
    if (this.#stop === undefined) {
      this.#stop = new AbortController();
      void this.#watch(this.#stop.signal);
      void this.#lookNowAndThen(this.#stop.signal);
    }
    let wants = true;
    return () => {
      if (!wants) return;
      wants = false;
      this.#wanted -= 1;
      if (this.#wanted > 0) return;
      this.#stop?.abort();
      this.#stop = undefined;
    };
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const backoff = new Backoff(100, 5000);
    while (!signal.aborted) {
      try {
        for await (const messages of serverRead(this.#connection, allSubscription('end', NOTHING, 1), { signal })) {
          if (messages.every((message) => message.hasConfirmation())) continue;
          backoff.reset();
          await this.#look(); // checkpoints that arrive in the meantime lead to one more read
          await pause(LOOK_EVERY_MS, signal);
        }
      } catch {
        // Followers report faults. The reads below find what is missed here.
      }
      await backoff.pause(signal);
    }
  }

  async #lookNowAndThen(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#look();
      await pause(LOOK_AT_LEAST_MS, signal);
    }
  }

  async #look(): Promise<void> {
    await this.#head.refresh().catch(() => undefined);
  }
}
