import { pause } from '@palimpsest/foundation';

/** Full jitter: `uniform(0, min(capMs, baseMs * 2^failures))`, in milliseconds. */
export const backoffMs = (failures: number, baseMs = 100, capMs = 5_000): number => Math.random() * Math.min(capMs, baseMs * 2 ** Math.min(failures, 30));

/** Whether the work ended within this time. Returns `false` immediately if no time is given. */
export const endsWithin = async (work: Promise<unknown>, ms: number): Promise<boolean> => {
  const ended = work.then(
    () => true,
    () => true,
  );
  if (ms <= 0) return Promise.race([ended, new Promise<boolean>((resolve) => setImmediate(() => resolve(false)))]);
  const over = new AbortController();
  const late = pause(ms, over.signal).then(() => false);
  return Promise.race([ended, late]).finally(() => over.abort());
};

/** Resolves when the signal aborts. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
