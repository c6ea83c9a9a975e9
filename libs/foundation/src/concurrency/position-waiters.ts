import { systemScheduler, type Scheduler } from '../system/scheduler.ts';

type Waiter = { position: bigint; done: (reached: boolean) => void };

/** Callers that wait until a position is reached. */
export class PositionWaiters {
  readonly #waiters = new Set<Waiter>();
  readonly #scheduler: Scheduler;

  constructor(scheduler: Scheduler = systemScheduler) {
    this.#scheduler = scheduler;
  }

  /** Resolves with false after `timeoutMs` milliseconds (default: no limit), when `signal` aborts, or when the subscription stops. */
  wait(position: bigint, timeoutMs?: number, signal?: AbortSignal): Promise<boolean> {
    if (signal?.aborted === true) return Promise.resolve(false);
    return new Promise((resolve) => {
      const done = (reached: boolean): void => {
        cancel?.();
        signal?.removeEventListener('abort', aborted);
        this.#waiters.delete(waiter);
        resolve(reached);
      };
      const aborted = (): void => done(false);
      const waiter: Waiter = { position, done };
      const cancel = timeoutMs === undefined ? undefined : this.#scheduler.after(timeoutMs, aborted);
      signal?.addEventListener('abort', aborted, { once: true });
      this.#waiters.add(waiter);
    });
  }

  get count(): number {
    return this.#waiters.size;
  }

  reached(position: bigint): void {
    for (const waiter of [...this.#waiters]) if (waiter.position <= position) waiter.done(true);
  }

  giveUp(): void {
    for (const waiter of [...this.#waiters]) waiter.done(false);
  }
}
