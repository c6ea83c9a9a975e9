import { getPriority, setPriority } from 'node:os';

/** Nice levels: about half the CPU share of a thread with normal priority, which also takes precedence whenever it wakes up. */
const LEVELS = 3;
const MIN = 19;

/**
 * Lowers the priority of this thread below others of the machine, above all this process's event loop and its thread for queries. Idle
 * cores are still fully used. Only Linux has a priority for each thread; elsewhere this does nothing.
 */
export const lowerPriority = (): void => {
  if (process.platform !== 'linux') return;
  try {
    setPriority(Math.min(MIN, getPriority() + LEVELS));
  } catch {
    // Not allowed: the priority does not change.
  }
};
