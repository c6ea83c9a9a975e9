/** Wakes whoever waits; a ring that nobody waits for is forgotten, so look first, then wait, with nothing awaited between. */
export class Bell {
  readonly #waiting = new Set<() => void>();

  ring(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** Until the next ring, or for so many milliseconds. */
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
