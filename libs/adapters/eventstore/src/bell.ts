/** Several ring, one waits. A ring that nobody waited for is kept for the next wait. */
export class Bell {
  #rung = false;
  #wake: (() => void) | undefined;

  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /** Resolves when it rings, or after `ms` (default: no limit); answers whether it rang. */
  async wait(ms?: number): Promise<boolean> {
    if (!this.#rung) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
      await promise;
      clearTimeout(timer);
      this.#wake = undefined;
    }
    const rang = this.#rung;
    this.#rung = false;
    return rang;
  }
}
