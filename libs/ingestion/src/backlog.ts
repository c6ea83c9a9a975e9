import { GROUPS, TOPICS } from '@palimpsest/contracts';
import { Overloaded, type MessageBus } from '@palimpsest/knowledge';

/** For how long a count of the queue is trusted, in milliseconds. */
const FRESH_MS = 250;

/**
 * How much accepted work is waiting, and whether more is let in. What was let in lately is added to the count, since it comes
 * to the queue a moment later, by way of the log; and one is let in after the other, so that no burst slips through between
 * two counts.
 */
export class Backlog {
  readonly capacity: number;
  readonly #bus: MessageBus;
  #counted = 0;
  #countedAt = -Infinity;
  /** When, in milliseconds, each of those was let in that the count may lack. */
  #letIn: number[] = [];
  #turn: Promise<unknown> = Promise.resolve();

  constructor(bus: MessageBus, capacity: number) {
    this.#bus = bus;
    this.capacity = capacity;
  }

  depth(): Promise<number> {
    return this.#inTurn(() => this.#depth());
  }

  /** @throws Overloaded, before anything was accepted */
  letIn(): Promise<void> {
    return this.#inTurn(async () => {
      const depth = await this.#depth();
      if (depth >= this.capacity)
        throw new Overloaded(`${depth} documents are waiting to be indexed, at most ${this.capacity} may`, retryAfter(depth, this.capacity));
      this.#letIn.push(performance.now());
    });
  }

  async #depth(): Promise<number> {
    const now = performance.now();
    if (now - this.#countedAt > FRESH_MS) {
      this.#counted = await this.#bus.lag(TOPICS.ingestion, GROUPS.ingestion);
      this.#countedAt = now;
      this.#letIn = this.#letIn.filter((at) => now - at < FRESH_MS);
    }
    return this.#counted + this.#letIn.length;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }
}

/** A tenth of the queue should have been worked off by then, at some documents a second; between 1 and 60 seconds. */
const retryAfter = (depth: number, capacity: number): number => Math.min(60, Math.max(1, Math.ceil((depth - capacity * 0.9) / 10)));
