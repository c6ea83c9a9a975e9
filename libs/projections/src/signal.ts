import { SYSTEM, type Scheduler } from '@palimpsest/foundation';

/** Wakes all waiting callers. A notification without waiters is lost: check the condition and call `wait` without an await between. */
export class Signal {
  readonly #waiting = new Set<() => void>();
  readonly #scheduler: Scheduler;

  constructor(scheduler: Scheduler = SYSTEM.scheduler) {
    this.#scheduler = scheduler;
  }

  notify(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** Waits for the next notification, or at most `ms` milliseconds. */
  wait(ms?: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        cancel?.();
        this.#waiting.delete(wake);
        resolve();
      };
      const cancel = ms === undefined ? undefined : this.#scheduler.after(ms, wake);
      this.#waiting.add(wake);
    });
  }
}
