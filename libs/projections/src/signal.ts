/** Wakes all waiting callers. A notification without waiters is lost: check the condition and call `wait` without an await between. */
export class Signal {
  readonly #waiting = new Set<() => void>();

  notify(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** Waits for the next notification, or at most `ms` milliseconds. */
  wait(ms?: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = ms === undefined ? undefined : setTimeout(wake, ms);
      this.#waiting.add(wake);
    });
  }
}
