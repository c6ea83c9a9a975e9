/** Time as the bus has it; tests bring their own. */
export type BusClock = Readonly<{
  /** Milliseconds since 1970. */
  now(): number;
  /** Acts once, after so many milliseconds; the answer calls it off. May act too early when the wait is very long. */
  after(ms: number, act: () => void): () => void;
}>;

/** The longest that a timer of Node can wait: some 24 days. */
const LONGEST_MS = 2 ** 31 - 1;

export const systemClock: BusClock = {
  now: () => Date.now(),
  after: (ms, act) => {
    const timer = setTimeout(act, Math.min(Math.max(ms, 0), LONGEST_MS));
    return () => clearTimeout(timer);
  },
};
