import { readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** Parsing has a lower priority than requests; idle cores are still fully used. */
const BASE_OFFSET = 5;
/** Further steps below the other parsers: next to a busy one, a tenth of a core. With a lower priority, slow files would never finish. */
const SLOW_OFFSET = 10;
const LOWEST = 19;

/** On Linux each thread has its own priority, and garbage collection for a large file runs in other threads. */
const threadsOf = (pid: number): readonly number[] => {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [pid];
  }
};

/** Sets the priority of all threads. Returns whether the system allowed it. */
const setAll = (pid: number, priority: number): boolean => {
  try {
    for (const thread of threadsOf(pid)) setPriority(thread, priority);
    return true;
  } catch {
    // The process has just ended, or the system does not allow it.
    return false;
  }
};

/**
 * Call it for a process that was just started: its threads, including those of V8 for garbage collection and compilation, inherit the
 * priority of their creator. If the process lowered its own priority, these would exist already, and its start (20 to 50 ms of a core)
 * would take precedence over searches.
 */
export const setBasePriority = (pid: number): void => {
  setAll(pid, Math.min(LOWEST, priorityOf(pid) + BASE_OFFSET));
};

/** Lowers the priority of a process, if allowed, so that it only gets the CPU time that others leave over. Returns the previous priority. */
export const lowerPriority = (pid: number): number => {
  const before = priorityOf(pid);
  setAll(pid, Math.min(LOWEST, before + SLOW_OFFSET));
  return before;
};

/** Restores the previous priority. Returns false if only the administrator may raise priorities. */
export const restorePriority = (pid: number, before: number): boolean => setAll(pid, before);

const priorityOf = (pid: number): number => {
  try {
    return getPriority(pid);
  } catch {
    return getPriority();
  }
};
