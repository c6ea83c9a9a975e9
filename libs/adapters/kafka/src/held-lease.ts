import { pause } from '@palimpsest/foundation';

/** Between two calls of `hold`, in milliseconds. */
const PAUSE_MS = 1_000;

export type WhileHeld = (share: number, signal: AbortSignal) => Promise<void>;

/** One share that this process holds. Calls `hold`, and calls it again after a pause when it ends, until the share is released. */
export class HeldLease {
  readonly ended: Promise<void>;
  readonly #abortion = new AbortController();

  /** `before`: resolves when an earlier hold of the same share has ended. */
  constructor(share: number, hold: WhileHeld, before: Promise<void>, onFault: (error: Error) => void) {
    this.ended = before.then(() => this.#keepHolding(share, hold, onFault));
  }

  letGo(): void {
    this.#abortion.abort(new Error('the share moves, or its process leaves'));
  }

  async #keepHolding(share: number, hold: WhileHeld, onFault: (error: Error) => void): Promise<void> {
    const { signal } = this.#abortion;
    while (!signal.aborted) {
      try {
        await hold(share, signal);
      } catch (error) {
        if (!signal.aborted) onFault(error instanceof Error ? error : new Error(String(error)));
      }
      await pause(PAUSE_MS, signal);
    }
  }
}
