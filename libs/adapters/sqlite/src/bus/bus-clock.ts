/** The clock of the bus; tests use their own. */
export type BusClock = Readonly<{
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls `act` once after `ms` milliseconds. Returns a function that cancels it. A very long wait may end too early. */
  after(ms: number, act: () => void): () => void;
}>;

/** The longest delay of a Node timer: about 24 days. */
const MAX_DELAY_MS = 2 ** 31 - 1;

export const systemClock: BusClock = {
  now: () => Date.now(),
  after: (ms, act) => {
    const timer = setTimeout(act, Math.min(Math.max(ms, 0), MAX_DELAY_MS));
    return () => clearTimeout(timer);
  },
};
