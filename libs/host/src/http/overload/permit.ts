import type { IncomingMessage } from 'node:http';
import { Overloaded } from '@palimpsest/knowledge';
import type { Admitted, Refusal } from './door.ts';

/** Asks for a place; one of the two is called. Returns what leaves the line. */
type Ask = (enter: (admitted: Admitted) => void, refuse: (refusal: Refusal) => void) => () => void;

/**
 * The place of one request among those that are worked on. A request that only waits for something gives its place to others
 * meanwhile, and takes a new one when it goes on.
 */
export class Permit {
  #leave: () => void = () => undefined;
  #done: () => void = () => undefined;
  #closed = false;

  /** The first place; the answers are those of the limiter. */
  acquire(ask: Ask, enter: () => void, refuse: (refusal: Refusal) => void): void {
    this.#leave = ask((admitted) => {
      // Nobody works for a caller that left while waiting.
      if (this.#closed) admitted.done();
      else {
        this.#done = admitted.done;
        enter();
      }
    }, refuse);
  }

  release(): void {
    this.#done();
  }

  /** @throws Overloaded when there is no place */
  reacquire(ask: Ask): Promise<void> {
    if (this.#closed) return Promise.reject(new Overloaded('the caller has left', 1));
    return new Promise((resolve, reject) => this.acquire(ask, resolve, ({ reason, retryAfterSeconds }) => reject(new Overloaded(reason, retryAfterSeconds))));
  }

  /** The request is over, however it ended. */
  close(): void {
    this.#closed = true;
    this.#leave();
    this.#done();
  }
}

type Held = Readonly<{ permit: Permit; ask: Ask }>;
const held = new WeakMap<IncomingMessage, Held>();

export const holdPermit = (request: IncomingMessage, permit: Permit, ask: Ask): void => void held.set(request, { permit, ask });

/** Runs `wait` while the request holds no place. @throws what `wait` throws; Overloaded when there is no place afterwards */
export const withoutPermit = async (request: IncomingMessage, wait: () => Promise<void>): Promise<void> => {
  const found = held.get(request);
  found?.permit.release();
  await wait();
  await found?.permit.reacquire(found.ask);
};
