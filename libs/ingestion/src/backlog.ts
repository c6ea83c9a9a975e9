import { GROUPS, TOPICS } from '@palimpsest/contracts';
import { Overloaded, type MessageBus } from '@palimpsest/knowledge';

/** For how long a count of the queue is trusted, in milliseconds. */
const FRESH_MS = 250;

/**
 * How much accepted work is waiting, and whether more is let in. What was let in since the queue was last counted is added,
 * so that a burst cannot slip through between two counts.
 */
export class Backlog {
  readonly capacity: number;
  readonly #bus: MessageBus;
  #counted = 0;
  #countedAt = -Infinity;
  #letIn = 0;

  constructor(bus: MessageBus, capacity: number) {
    this.#bus = bus;
    this.capacity = capacity;
  }

  async depth(): Promise<number> {
    if (performance.now() - this.#countedAt > FRESH_MS) {
      this.#countedAt = performance.now();
      this.#letIn = 0;
      this.#counted = await this.#bus.lag(TOPICS.ingestion, GROUPS.ingestion);
    }
    return this.#counted + this.#letIn;
  }

  /** @throws Overloaded, before anything was accepted */
  async letIn(): Promise<void> {
    const depth = await this.depth();
    if (depth >= this.capacity)
      throw new Overloaded(`${depth} documents are waiting to be indexed, at most ${this.capacity} may`, retryAfter(depth, this.capacity));
    this.#letIn++;
  }
}

/** A tenth of the queue should have been worked off by then, at some documents a second; between 1 and 60 seconds. */
const retryAfter = (depth: number, capacity: number): number => Math.min(60, Math.max(1, Math.ceil((depth - capacity * 0.9) / 10)));
