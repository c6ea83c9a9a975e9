import { readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** Parsing gives way to whoever answers requests: a core that nobody else wants is used all the same. */
const GIVE_WAY = 5;
/** Steps behind the other parsers: beside a busy one, a tenth of a processor. Farther behind, what takes long would come to no end. */
const BEHIND = 10;
const LAST = 19;

/** On Linux a priority is a thread's: what collects garbage for a swelling file beside it must give way, too. */
const threadsOf = (pid: number): readonly number[] => {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [pid];
  }
};

/** Whether the system allowed it, for all threads of the process. */
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
 * For a process that was just started: its threads, those of V8 that collect and compile too, have the priority of who made them. If the process
 * did it itself, those were there already, and starting it (20 to 50 ms of a core) would have come before searches.
 */
export const startBehind = (pid: number): void => {
  setAll(pid, Math.min(LAST, priorityOf(pid) + GIVE_WAY));
};

/** From now on it gets what the others leave over; where that is not allowed, it goes on as it is. Answers the priority that it had. */
export const giveWay = (pid: number): number => {
  const before = priorityOf(pid);
  setAll(pid, Math.min(LAST, before + BEHIND));
  return before;
};

/** With the priority that it had; false where only the administrator may raise one. */
export const comeBack = (pid: number, before: number): boolean => setAll(pid, before);

const priorityOf = (pid: number): number => {
  try {
    return getPriority(pid);
  } catch {
    return getPriority();
  }
};
