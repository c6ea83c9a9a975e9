/** Whether this process takes part in a task, and with which shares. */
export interface Participation {
  /** The shares that are this process's now, ascending. */
  shares(): readonly number[];
  /** Gives all up: aborts what holds them, waits for it, and lets the others have them. */
  leave(): Promise<void>;
}

/**
 * Splits a task into numbered shares among all processes that take part in it; with one share it elects a leader. Promises,
 * all checked by `describeShares`:
 * - while anybody takes part, every share is soon somebody's; shares are spread evenly (their numbers differ by at most one);
 * - who joins, leaves or dies makes the shares move; a share that moves is first let go of (`hold` has ended), unless its
 *   holder is dead or hangs: then it may for a moment be held twice, so what is done under it must be ordered by positions;
 * - `hold` is called anew, after a pause, when it ends or fails while the share is still this process's.
 */
export interface Shares {
  /**
   * `count`: how many shares the task has, the same for everybody. `hold` works for as long as the share is this process's:
   * until its signal aborts.
   */
  takePart(task: string, count: number, hold: (share: number, signal: AbortSignal) => Promise<void>): Promise<Participation>;
  close(): Promise<void>;
}
