import { laterOf, START, type Position } from '@palimpsest/knowledge/values';

/** The last position known to be on disk, and the waiters that are notified when it moves. */
export class LogHead {
  #position: Position = START;
  readonly #watchers = new Set<() => void>();

  get position(): Position {
    return this.#position;
  }

  /** Never moves back. */
  advance(to: Position): void {
    if (to <= this.#position) return;
    this.#position = laterOf(this.#position, to);
    this.wakeAll();
  }

  /** Wakes all waiters. */
  wakeAll(): void {
    const watchers = [...this.#watchers];
    this.#watchers.clear();
    for (const wake of watchers) wake();
  }

  /** Resolves when the head is past `position`, on abort, or on `wakeAll`, whichever comes first. */
  async movedPast(position: Position, signal: AbortSignal): Promise<void> {
    if (this.#position > position || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        signal.removeEventListener('abort', done);
        this.#watchers.delete(done);
        resolve();
      };
      signal.addEventListener('abort', done);
      this.#watchers.add(done);
    });
  }
}
