import type { Position } from '@palimpsest/knowledge';

type Waiter = { position: Position; done: (reached: boolean) => void };

/** Callers that wait until a position is reached. */
export class PositionWaiters {
  readonly #waiters = new Set<Waiter>();

  /** Resolves with false after so many milliseconds, or when nobody goes on. */
  wait(position: Position, timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const waiter: Waiter = { position, done: (reached) => (clearTimeout(timer), this.#waiters.delete(waiter), resolve(reached)) };
      const timer = setTimeout(() => waiter.done(false), timeoutMs);
      this.#waiters.add(waiter);
    });
  }

  reached(position: Position): void {
    for (const waiter of [...this.#waiters]) if (waiter.position <= position) waiter.done(true);
  }

  giveUp(): void {
    for (const waiter of [...this.#waiters]) waiter.done(false);
  }
}
