import { pause, SYSTEM } from '@palimpsest/foundation';
import { START } from '@palimpsest/knowledge/values';
import type { EventLog } from '@palimpsest/knowledge/ports';
import type { Position } from '@palimpsest/knowledge/values';

/** Minimum time between two reads of the log. There is only one read at a time, for any number of callers. */
const MIN_INTERVAL_MS = 20;

/** The head of the log, shared by all callers that ask for positions which may not exist. */
export class SharedHead {
  readonly #log: Pick<EventLog, 'head'>;
  #known: Position = START;
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<Position> | undefined;
  #readAt = -Infinity;

  constructor(log: Pick<EventLog, 'head'>) {
    this.#log = log;
  }

  /** Whether the log has reached `position`. @throws Unavailable */
  async covers(position: Position): Promise<boolean> {
    return position <= this.#known || position <= (await this.#readHead());
  }

  /** Returns a read that starts after this call: an earlier read may have missed what the caller has just written. */
  #readHead(): Promise<Position> {
    this.#next ??= this.#running.then(async () => {
      await pause(Math.max(0, this.#readAt + MIN_INTERVAL_MS - SYSTEM.clock.elapsed()));
      this.#next = undefined;
      this.#readAt = SYSTEM.clock.elapsed();
      const reading = this.#log.head();
      this.#running = reading.catch(() => undefined);
      const head = await reading;
      if (head > this.#known) this.#known = head;
      return head;
    });
    return this.#next;
  }
}
