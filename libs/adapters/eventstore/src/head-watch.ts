import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from './backoff.ts';
import type { Connection } from './connection.ts';
import type { LogHead } from './log-head.ts';
import { NOTHING } from './namespace.ts';
import { allSubscription } from './read-request.ts';
import { serverRead } from './server-read.ts';

/** Least time between two looks at the head. */
const LOOK_EVERY_MS = 25;
/** A look is taken at least so often, should a server send checkpoints less often than it was asked to. */
const LOOK_AT_LEAST_MS = 1000;

/**
 * Tells the head of a log as others append to it, while somebody wants to know: one subscription that matches nothing and asks
 * for a checkpoint after each event. So it carries no events, and nothing is asked of the server while nobody appends, but for
 * one look a second.
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

  /** Begins, unless it has begun; answers how to end one's own interest. */
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
          await this.#look(); // checkpoints that come in meanwhile are answered by one more look
          await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
        }
      } catch {
        // Followers tell of faults; what is missed here is found by the looks below.
      }
      await backoff.pause(signal);
    }
  }

  async #lookNowAndThen(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#look();
      await sleep(LOOK_AT_LEAST_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #look(): Promise<void> {
    await this.#head.refresh().catch(() => undefined);
  }
}
