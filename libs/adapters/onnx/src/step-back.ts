import { getPriority, setPriority } from 'node:os';

/** Levels of niceness: about half the share of a thread that did not step back, and it goes first whenever it wakes up. */
const LEVELS = 3;
const LEAST = 19;

/**
 * Lets this thread give way to the others of the machine, this process's own event loop and thread for queries above all: a core that nobody else
 * wants is used all the same. Only Linux has a priority for each thread; elsewhere nothing happens.
 */
export const stepBack = (): void => {
  if (process.platform !== 'linux') return;
  try {
    setPriority(Math.min(LEAST, getPriority() + LEVELS));
  } catch {
    // Not allowed here: then it runs as the others do.
  }
};
