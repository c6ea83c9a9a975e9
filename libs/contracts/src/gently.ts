import { setTimeout as rest } from 'node:timers/promises';

/** So much longer than the work took is the rest after it: a tenth of the time goes into the work. */
const REST = 9;

/**
 * Works on one after the other in the background, with rests that keep no process alive, until `over`. What fails is left to
 * whoever meets it next; the others have their turn.
 */
export const gently = async <T>(all: Iterable<T>, work: (one: T) => Promise<void>, over: () => boolean): Promise<void> => {
  for (const one of [...all]) {
    if (over()) return;
    const began = performance.now();
    await work(one).catch(() => undefined);
    await rest(REST * (performance.now() - began), undefined, { ref: false });
  }
};
