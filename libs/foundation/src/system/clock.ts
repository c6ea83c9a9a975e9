/** Reads the time. */
export interface Clock {
  /** Milliseconds since 1970, UTC. It can jump when the clock of the machine is set. */
  now(): number;
  /** Milliseconds since any origin. It never goes backwards: for durations. */
  elapsed(): number;
}

/** The current time, ISO 8601 in UTC. */
export const timestamp = (clock: Clock): string => new Date(clock.now()).toISOString();

export const systemClock: Clock = { now: () => Date.now(), elapsed: () => performance.now() };
