import { laterOf, type Position, type RecordedEvent } from '@palimpsest/knowledge';

/** Events in the order of the log; everything up to `upTo` is told, also when there are none. */
export type LiveBatch = Readonly<{ events: readonly RecordedEvent[]; upTo: Position }>;

/** The end of the log: every event after `start` up to `end`, as long as they are few enough and short enough. */
export class RecentEvents {
  readonly #most: Readonly<{ mostEvents: number; mostChars: number }>;
  #events: { event: RecordedEvent; chars: number }[] = [];
  #chars = 0;
  #start: Position;
  #end: Position;
  readonly #waiting = new Set<() => void>();

  constructor(head: Position, most: Readonly<{ mostEvents: number; mostChars: number }>) {
    this.#most = most;
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

  /** What came after `position`; undefined when not all of it is here any more. */
  after(position: Position): LiveBatch | undefined {
    if (position < this.#start) return undefined;
    return { events: this.#events.slice(this.#firstAfter(position)).map(({ event }) => event), upTo: laterOf(this.#end, position) };
  }

  /** Resolves with the next change, or when the signal aborts. Look first: a change that nobody waits for is forgotten. */
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
      if (this.#events.length - gone <= this.#most.mostEvents && this.#chars <= this.#most.mostChars) break;
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
