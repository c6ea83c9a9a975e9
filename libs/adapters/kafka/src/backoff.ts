import { fullJitter, inTime } from '@palimpsest/foundation';

export const backoffMs = (failures: number, baseMs = 100, capMs = 5_000): number => fullJitter(failures, baseMs, capMs);

/** Whether the work ended within this time, successfully or not. */
export const endsWithin = (work: Promise<unknown>, ms: number): Promise<boolean> => {
  const ended = (): boolean => true;
  return inTime(work.then(ended, ended), ms, false);
};

/** Resolves when the signal aborts. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
