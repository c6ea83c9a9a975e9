import { Bell } from './bell.ts';
import type { ReadCall, ReadResp } from './protocol.ts';
import { Timeout } from './timeout.ts';

/** Messages that may come in while the consumer is busy. */
const AHEAD = 32;

/** What comes in on a call, as many messages at a time as there are. */
export class Incoming {
  readonly #call: ReadCall;
  readonly #bell = new Bell();
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
      this.#bell.ring();
    });
  }

  /** What the call ended in. */
  get fault(): Error | undefined {
    return this.#fault;
  }

  /** Undefined at the end, also when nothing came in for `idleMs`; then there is a `fault`. */
  async next(idleMs?: number): Promise<readonly ReadResp[] | undefined> {
    while (this.#arrived.length === 0) {
      if (this.#ended) return undefined;
      if (!(await this.#bell.wait(idleMs))) this.#end(new Timeout(idleMs ?? 0));
    }
    const messages = this.#arrived;
    this.#arrived = [];
    this.#call.resume();
    return messages;
  }

  #end(error?: Error): void {
    this.#ended = true;
    this.#fault ??= error;
    this.#bell.ring();
  }
}
