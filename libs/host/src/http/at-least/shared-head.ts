import { pause } from '@palimpsest/contracts';
import { START } from '@palimpsest/knowledge';
import type { EventLog, Position } from '@palimpsest/knowledge';

/** However many ask: the log is read once at a time, and no more often than this. */
const EVERY_MS = 20;

/** How far the log goes, for any number of callers that name positions which may not exist. */
export class SharedHead {
  readonly #log: Pick<EventLog, 'head'>;
  #known: Position = START;
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<Position> | undefined;
  #readAt = -Infinity;

  constructor(log: Pick<EventLog, 'head'>) {
    this.#log = log;
  }

  /** Whether the log has come to `position`. @throws Unavailable */
  async covers(position: Position): Promise<boolean> {
    return position <= this.#known || position <= (await this.#ask());
  }

  /** A read that began after the caller asked: an earlier one may have missed what the caller has just written. */
  #ask(): Promise<Position> {
    this.#next ??= this.#running.then(async () => {
      await pause(Math.max(0, this.#readAt + EVERY_MS - performance.now()));
      this.#next = undefined;
      this.#readAt = performance.now();
      const reading = this.#log.head();
      this.#running = reading.catch(() => undefined);
      const head = await reading;
      if (head > this.#known) this.#known = head;
      return head;
    });
    return this.#next;
  }
}
