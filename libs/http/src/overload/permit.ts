import type { IncomingMessage } from 'node:http';
import { Overloaded } from '@palimpsest/knowledge/errors';
import type { Admitted, Refusal } from './concurrency-limiter.ts';

/** Requests a slot; calls `admit` or `refuse`. Returns a function that removes the request from the queue. */
type AcquireSlot = (admit: (admitted: Admitted) => void, refuse: (refusal: Refusal) => void) => () => void;

/**
 * The right of one request to be in progress. A request that only waits for something releases its slot meanwhile, and reacquires
 * one before it continues.
 */
export class Permit {
  #cancel: () => void = () => undefined;
  #done: () => void = () => undefined;
  #closed = false;

  /** Acquires the first slot; a refusal is passed on to `refuse`. */
  acquire(acquireSlot: AcquireSlot, admit: () => void, refuse: (refusal: Refusal) => void): void {
    this.#cancel = acquireSlot((admitted) => {
      // The caller may have disconnected while the request waited.
      if (this.#closed) admitted.done();
      else {
        this.#done = admitted.done;
        admit();
      }
    }, refuse);
  }

  release(): void {
    this.#done();
  }

  /** @throws Overloaded if the limiter refuses */
  reacquire(acquireSlot: AcquireSlot): Promise<void> {
    if (this.#closed) return Promise.reject(new Overloaded('the caller has disconnected', 1));
    return new Promise((resolve, reject) =>
      this.acquire(acquireSlot, resolve, ({ reason, retryAfterSeconds }) => reject(new Overloaded(reason, retryAfterSeconds))),
    );
  }

  /** The request has ended, in success or failure. */
  close(): void {
    this.#closed = true;
    this.#cancel();
    this.#done();
  }
}

type Held = Readonly<{ permit: Permit; acquireSlot: AcquireSlot }>;
const held = new WeakMap<IncomingMessage, Held>();

export const holdPermit = (request: IncomingMessage, permit: Permit, acquireSlot: AcquireSlot): void =>
  void held.set(request, { permit, acquireSlot });

/** Runs `wait` while the request holds no slot. @throws errors of `wait`; Overloaded if the limiter refuses the request afterwards */
export const withoutPermit = async (request: IncomingMessage, wait: () => Promise<void>): Promise<void> => {
  const found = held.get(request);
  found?.permit.release();
  await wait();
  await found?.permit.reacquire(found.acquireSlot);
};
