/** Several callers notify, one waits. A notification that arrives while no one waits is kept for the next wait. */
export class Signal {
  #notified = false;
  #wake: (() => void) | undefined;

  notify(): void {
    this.#notified = true;
    this.#wake?.();
  }

  /** Resolves on a notification, or after `ms` (default: no limit). Returns whether there was a notification. */
  async wait(ms?: number): Promise<boolean> {
    if (!this.#notified) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
      await promise;
      clearTimeout(timer);
      this.#wake = undefined;
    }
    const notified = this.#notified;
    this.#notified = false;
    return notified;
  }
}
