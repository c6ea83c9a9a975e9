import { Signal } from './signal.ts';
import type { ReadCall, ReadResp } from './protocol.ts';
import { Timeout } from './timeout.ts';

/** Messages that may be buffered while the consumer is busy. */
const AHEAD = 32;

/** The messages of a call. Returns all that have arrived together. */
export class Incoming {
  readonly #call: ReadCall;
  readonly #signal = new Signal();
  #arrived: ReadResp[] = [];
  #ended = false;
  #fault: Error | undefined;

  /** `arrived` is called for each message. */
  constructor(call: ReadCall, arrived: () => void) {
    this.#call = call;
    call.on('error', (error) => this.#end(error)).on('end', () => this.#end());
    call.on('data', (message: ReadResp) => {
      arrived();
      if (this.#arrived.push(message) >= AHEAD) call.pause();
      this.#signal.notify();
    });
  }

  /** The error that ended the call. */
  get fault(): Error | undefined {
    return this.#fault;
  }

  /** Undefined at the end, also if nothing arrived for `idleMs`; then there is a `fault`. */
  async next(idleMs?: number): Promise<readonly ReadResp[] | undefined> {
    while (this.#arrived.length === 0) {
      if (this.#ended) return undefined;
      if (!(await this.#signal.wait(idleMs))) this.#end(new Timeout(idleMs ?? 0));
    }
    const messages = this.#arrived;
    this.#arrived = [];
    this.#call.resume();
    return messages;
  }

  #end(error?: Error): void {
    this.#ended = true;
    this.#fault ??= error;
    this.#signal.notify();
  }
}
