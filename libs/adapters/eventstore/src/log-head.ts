import { START, type Position } from '@palimpsest/knowledge/values';

/** The last event that this log object has seen on the log, from its own appends and reads. It may lag behind the log. */
export class LogHead {
  readonly #read: () => Promise<Position>;
  readonly #listeners = new Set<() => void>();
  #known: Position = START;
  #reading: Promise<Position> | undefined;

  /** `read` asks the server. */
  constructor(read: () => Promise<Position>) {
    this.#read = read;
  }

  get known(): Position {
    return this.#known;
  }

  advance(position: Position): void {
    if (position <= this.#known) return;
    this.#known = position;
    for (const listener of this.#listeners) listener();
  }

  /** Asks the server. Concurrent calls share the answer. */
  async refresh(): Promise<Position> {
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    this.advance(await this.#reading);
    return this.#known;
  }

  /** `listener` is called when the head moves. Returns a function that removes it. */
  onMoved(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
