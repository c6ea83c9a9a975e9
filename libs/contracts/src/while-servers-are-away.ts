import { fullJitter, pause, SYSTEM, type System } from '@palimpsest/foundation';
import { Overloaded, ServerAway } from '@palimpsest/knowledge/errors';

const BASE_MS = 500;
const MAX_MS = 10_000;
/** An overloaded server may name a later time than this; its circuit breaker then refuses the call that comes too early. */
const MAX_OVERLOADED_MS = 60_000;

/**
 * Runs the work and repeats it while a server is unavailable or overloaded, without a time limit. So an outage does not use up the attempts
 * of a message from the bus. Calls `report` for each such failure.
 * @throws all other errors of the work, and ServerAway or Overloaded after the signal aborts
 */
export const whileServersAreAway = async <T>(
  signal: AbortSignal,
  work: () => Promise<T>,
  report: (error: ServerAway | Overloaded) => void,
  { random, scheduler }: Pick<System, 'random' | 'scheduler'> = SYSTEM,
): Promise<T> => {
  for (let failures = 0; ; failures += 1) {
    let atLeastMs = 0;
    try {
      return await work();
    } catch (error) {
      if (!isOfServer(error) || signal.aborted) throw error;
      report(error);
      if (error instanceof Overloaded) atLeastMs = Math.min(1_000 * error.retryAfterSeconds, MAX_OVERLOADED_MS);
    }
    const jitter = fullJitter(failures, BASE_MS, MAX_MS, () => random.next());
    await pause(atLeastMs + jitter, signal, scheduler);
  }
};

/** Whether the failure says nothing about the message: the server was unavailable or had too much to do. */
export const isOfServer = (error: unknown): error is ServerAway | Overloaded => error instanceof ServerAway || error instanceof Overloaded;
