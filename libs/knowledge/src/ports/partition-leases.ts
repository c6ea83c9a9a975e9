/** Membership of this process in a task. */
export interface LeaseMembership {
  /** The shares that this process holds, ascending. */
  shares(): readonly number[];
  /** Releases all shares: aborts their `hold` calls, waits for them to end, and lets other processes take the shares. */
  leave(): Promise<void>;
}

/**
 * Distributes the numbered shares of a task among its member processes; with one share it elects a leader. Promises, all checked by
 * `describePartitionLeases`:
 * - while the task has a member, every share soon has a holder; shares are distributed evenly (counts differ by at most one);
 * - shares move when a member joins, leaves or dies; the old holder releases a share (`hold` has ended) before it moves, unless the
 *   holder is dead or hangs: then two processes may hold it for a moment, so work under a share must be ordered by positions;
 * - if `hold` ends or fails while this process still holds the share, it is called again after a pause.
 */
export interface PartitionLeases {
  /**
   * `count`: number of shares of the task, the same in all processes. `hold` runs while this process holds the share, until its signal
   * aborts.
   */
  join(task: string, count: number, hold: (share: number, signal: AbortSignal) => Promise<void>): Promise<LeaseMembership>;
  close(): Promise<void>;
}
