import { setTimeout as rest } from 'node:timers/promises';

/** So much longer than the work took is the rest after it: a tenth of the time goes into the work. */
const REST = 9;

/** `atOnce`: without rests, since somebody waits for it. `signal` ends it early. */
export type CheckPace = Readonly<{ atOnce: boolean; signal?: AbortSignal }>;

/** In the background: with rests that keep no process alive. */
export const GENTLY: CheckPace = { atOnce: false };

/** Works on one after the other until `over`. What fails is left to whoever meets it next; the others have their turn. */
export const oneByOne = async <T>(all: Iterable<T>, work: (one: T) => Promise<void>, { atOnce, signal }: CheckPace, over: () => boolean): Promise<void> => {
  for (const one of [...all]) {
    if (over() || signal?.aborted === true) return;
    const began = performance.now();
    await work(one).catch(() => undefined);
    if (!atOnce) await rest(REST * (performance.now() - began), undefined, { ref: false });
  }
};
