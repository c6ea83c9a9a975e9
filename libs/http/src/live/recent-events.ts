import type { RecordedEvent } from '@palimpsest/knowledge/ports';
import { laterOf, type Position } from '@palimpsest/knowledge/values';

/** Events in the order of the log. All events up to `upTo` have been delivered, even if `events` is empty. */
export type LiveBatch = Readonly<{ events: readonly RecordedEvent[]; upTo: Position }>;

/** Buffer of the latest events: all after `start` up to `end`, limited by number and size. */
export class RecentEvents {
  readonly #max: Readonly<{ maxEvents: number; maxChars: number }>;
  #events: { event: RecordedEvent; chars: number }[] = [];
  #chars = 0;
  #start: Position;
  #end: Position;
  readonly #waiting = new Set<() => void>();

  constructor(head: Position, max: Readonly<{ maxEvents: number; maxChars: number }>) {
    this.#max = max;
    [this.#start, this.#end] = [head, head];
  }

  get start(): Position {
    return this.#start;
  }

  get end(): Position {
    return this.#end;
  }

  add(events: readonly RecordedEvent[], upTo: Position): void {
    for (const event of events) {
      const chars = JSON.stringify(event.data).length;
      this.#events.push({ event, chars });
      this.#chars += chars;
    }
    this.#end = laterOf(this.#end, upTo);
    this.#shorten();
    for (const wake of [...this.#waiting]) wake();
  }

  /** All events after `position`; undefined if some are no longer in the buffer. */
  after(position: Position): LiveBatch | undefined {
    if (position < this.#start) return undefined;
    return { events: this.#events.slice(this.#firstAfter(position)).map(({ event }) => event), upTo: laterOf(this.#end, position) };
  }

  /** Resolves with the next change, or when the signal aborts. Call `after` first: earlier changes are not remembered. */
  changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      if (signal.aborted) return resolve();
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }

  #shorten(): void {
    let gone = 0;
    for (const { event, chars } of this.#events) {
      if (this.#events.length - gone <= this.#max.maxEvents && this.#chars <= this.#max.maxChars) break;
      gone++;
      this.#chars -= chars;
      this.#start = event.position;
    }
    if (gone > 0) this.#events = this.#events.slice(gone);
  }

  #firstAfter(position: Position): number {
    let [low, high] = [0, this.#events.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#events[middle]?.event.position ?? 0n) > position) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
