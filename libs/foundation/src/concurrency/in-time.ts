import { systemScheduler, type Cancel, type Scheduler } from '../system/scheduler.ts';

/** Returns the result if it arrives within `ms` milliseconds, and `otherwise` if it fails or is late. Does not stop the work. */
export const inTime = async <T, U>(
  result: Promise<T>,
  ms: number,
  otherwise: U,
  scheduler: Scheduler = systemScheduler,
): Promise<T | U> => {
  let cancel: Cancel | undefined;
  const late = new Promise<U>((resolve) => (cancel = scheduler.after(ms, () => resolve(otherwise))));
  try {
    return await Promise.race([result.catch(() => otherwise), late]);
  } finally {
    cancel?.();
  }
};
