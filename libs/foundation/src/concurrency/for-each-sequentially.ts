import { SYSTEM, type System } from '../system/system.ts';

/** Length of a pause relative to the work before it: work takes a tenth of the time. */
const PAUSE_FACTOR = 9;

/** `urgent`: no pauses, since a caller waits for the result. `signal` ends the work early. */
export type Pace = Readonly<{ urgent: boolean; signal?: AbortSignal }>;

/** Work with pauses. The pauses do not keep the process alive. */
export const BACKGROUND: Pace = { urgent: false };

/** Processes items sequentially until `over` returns true. Ignores failures: the next use of a failed item reports the error. */
export const forEachSequentially = async <T>(
  all: Iterable<T>,
  work: (one: T) => Promise<void>,
  { urgent, signal }: Pace,
  over: () => boolean,
  { clock, scheduler }: Pick<System, 'clock' | 'scheduler'> = SYSTEM,
): Promise<void> => {
  for (const one of [...all]) {
    if (over() || signal?.aborted === true) return;
    const began = clock.elapsed();
    await work(one).catch(() => undefined);
    const restMs = PAUSE_FACTOR * (clock.elapsed() - began);
    if (!urgent) await new Promise<void>((resolve) => scheduler.after(restMs, resolve, { background: true }));
  }
};
