import { systemScheduler, type Scheduler } from '../system/scheduler.ts';

/** Resolves after `ms` milliseconds, or immediately when the signal aborts. */
export const pause = (ms: number, signal?: AbortSignal, scheduler: Scheduler = systemScheduler): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const done = (): void => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = scheduler.after(ms, done);
    signal?.addEventListener('abort', done);
  });
